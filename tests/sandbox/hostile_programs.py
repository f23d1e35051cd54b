# ruff: noqa: E501
"""Programs that try to get out, look around, stay, or use up the machine.

Each prints `held` when the sandbox stopped it, or anything else when it got through. `ended`
names how the run has to end: a code, or the limit it has to be killed for.
"""

from dataclasses import dataclass

PRELUDE = """
import ctypes, os, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def refused(action, *others):
    for one in (action, *others):
        try:
            found = one()
        except (OSError, ValueError, ImportError, MemoryError):
            continue
        if isinstance(found, int) and found == -1:
            continue
        print("ESCAPED", one, found)
        return
    print("held")
"""


@dataclass(frozen=True)
class Hostile:
    name: str
    program: str
    ended: int | str | None = 0
    printed: str | None = "held"


PROGRAMS = (
    Hostile("network", "refused(lambda: socket.create_connection(('192.0.2.1', 80), timeout=3))"),
    Hostile("name lookup", "refused(lambda: socket.getaddrinfo('example.org', 80))"),
    Hostile("raw and packet sockets", "refused(lambda: socket.socket(17, 3), "
            "lambda: socket.socket(2, 3), lambda: socket.socket(40, 1), "
            "lambda: socket.socket(38, 5))"),
    Hostile("fork bomb", "while True:\n    try: os.fork()\n    except OSError: pass",
            "processes", None),
    Hostile("slow fork bomb", "for _ in range(60):\n"
            "    try:\n        if os.fork() == 0: time.sleep(30); os._exit(0)\n"
            "    except OSError: pass\ntime.sleep(30)", "processes", None),
    Hostile("thread bomb", "import threading\nfor _ in range(200):\n"
            "    try: threading.Thread(target=time.sleep, args=(30,)).start()\n"
            "    except RuntimeError: pass\ntime.sleep(30)", "processes", None),
    Hostile("memory in one process", "kept = [bytearray(b'x') * (1 << 24) for _ in range(100)]\n"
            "print('ESCAPED')\ntime.sleep(9)", "memory", None),
    Hostile("memory across processes", "for _ in range(5):\n    if os.fork() == 0:\n"
            "        kept = bytearray(b'x') * (70 << 20); time.sleep(30)\n"
            "time.sleep(30)", "memory", None),
    Hostile("address space", "refused(lambda: __import__('mmap').mmap(-1, 1 << 33))"),
    Hostile("fill /work", "def fill():\n    for number in range(100):\n"
            "        with open(f'/work/f{number}', 'wb') as out: out.write(bytes(1 << 20))\n"
            "refused(fill)"),
    Hostile("fill /tmp", "def fill():\n    for number in range(100):\n"
            "        with open(f'/tmp/f{number}', 'wb') as out: out.write(bytes(1 << 20))\n"
            "refused(fill)"),
    Hostile("fill /dev/shm", "refused(lambda: open('/dev/shm/x', 'wb'), "
            "lambda: open('/dev/x', 'wb'), lambda: open('/dev/mqueue/x', 'wb'))"),
    Hostile("one file of 100 MB", "def fill():\n    with open('/work/big', 'wb') as out:\n"
            "        for _ in range(100): out.write(bytes(1 << 20))\nrefused(fill)"),
    Hostile("sparse file of 10 GB", "refused(lambda: os.truncate("
            "os.open('/work/s', os.O_RDWR | os.O_CREAT), 10 << 30))"),
    Hostile("many files", "os.mkdir('/work/many')\nfor number in range(2000):\n"
            "    open(f'/work/many/{number}', 'w').close()\nprint('held')"),
    Hostile("huge file name", "refused(lambda: open('/work/' + 'n' * 5000, 'w'))"),
    Hostile("deep directories", "for _ in range(300):\n    os.mkdir('d'); os.chdir('d')\n"
            "print('held')"),
    Hostile("daemon that stays", "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
            "        for one in range(3): os.close(one)\n        time.sleep(60)\n"
            "    os._exit(0)\nos.wait()\nprint('held')"),
    Hostile("trace process 1", "refused(lambda: libc.ptrace(16, 1, 0, 0), "
            "lambda: libc.process_vm_readv(1, None, 0, None, 0, 0))"),
    Hostile("memory of process 1", "refused(lambda: open('/proc/1/mem', 'rb').read(1), "
            "lambda: open('/proc/1/maps').read())"),
    Hostile("kill process 1", "refused(*(lambda n=n: os.kill(1, n) or -1 for n in (2, 9, 15, 19)))"),
    Hostile("kill all", "import signal\nfor n in (2, 10, 15): signal.signal(n, signal.SIG_IGN)\n"
            "refused(*(lambda n=n: os.kill(-1, n) or -1 for n in (2, 10, 15, 9)))"),
    Hostile("limits of process 1", "import resource\n"
            "refused(lambda: resource.prlimit(1, resource.RLIMIT_CPU, (0, 0)))"),
    Hostile("environment of process 1", "refused(lambda: open('/proc/1/environ', 'rb').read())"),
    Hostile("all environments", "found = b''\nfor name in os.listdir('/proc'):\n"
            "    if name.isdigit():\n"
            "        try: found += open(f'/proc/{name}/environ', 'rb').read()\n"
            "        except OSError: pass\n"
            "print('ESCAPED' if b'SECRET' in found or b'SECRET' in str(os.environ).encode()"
            " else 'held')"),
    Hostile("host accounts", "refused(lambda: open('/etc/shadow').read(), "
            "lambda: open('/etc/passwd').read(), lambda: os.listdir('/home'), "
            "lambda: os.listdir('/var'), lambda: os.listdir('/sys'), lambda: os.listdir('/run'))"),
    Hostile("the canary", "refused(lambda: os.listdir(CANARY), lambda: open(CANARY + '/x', 'w'))"),
    Hostile("root's home", "found = [name for name in os.listdir('/root')] if "
            "os.path.isdir('/root') else []\n"
            "print('held' if set(found) <= set(sys.base_prefix.split('/')) else found)"),
    Hostile("write to the system", "refused(*(lambda p=p: open(p, 'w') for p in ('/x', '/usr/x', "
            "'/usr/bin/python3', '/site/x', '/dev/x', '/etc/x', '/etc/ld.so.preload', "
            "'/supervisor.py', os.__file__)))"),
    Hostile("packages and start-up files", "refused(*(lambda p=p: open(p, 'w') for p in ("
            "'/site/conftest.py', '/site/sitecustomize.py', '/site/numpy/__init__.py', "
            "'/site/x.pth', os.path.dirname(os.__file__) + '/sitecustomize.py', "
            "os.path.dirname(os.__file__) + '/site-packages/x.pth')))"),
    Hostile("read-only taken off", "refused(lambda: libc.mount(0, b'/usr', 0, 32, 0), "
            "lambda: os.chmod('/site', 0o777), lambda: os.chown('/work', 0, 0))"),
    Hostile("the benchmark's own files", "found = []\nfor top in ('/site', '/work', '/tmp', '/etc', "
            "os.path.dirname(os.__file__)):\n"
            "    for folder, folders, files in os.walk(top):\n"
            "        found += [name for name in folders + files if 'vivavoce' in name]\n"
            "found += [1] if b'vivavoce' in open('/supervisor.py', 'rb').read() else []\n"
            "refused(lambda: __import__('vivavoce'))\nprint(found or 'held')", 0, "held\nheld"),
    Hostile("new user namespace", "refused(lambda: libc.unshare(0x10000000), "
            "lambda: libc.unshare(0x20000), lambda: libc.setns(0, 0), "
            "lambda: libc.syscall(56, 0x10000011, 0, 0, 0, 0))"),
    Hostile("mount", "refused(lambda: libc.mount(b'x', b'/work', b'tmpfs', 0, 0), "
            "lambda: libc.umount2(b'/work', 2), lambda: libc.mount(b'p', b'/work', b'proc', 0, 0))"),
    Hostile("chroot", "refused(lambda: os.chroot('/work'), lambda: libc.pivot_root(b'/work', b'/'))"),
    Hostile("program in memory", "refused(lambda: os.memfd_create('x'))"),
    Hostile("become root", "refused(lambda: os.setuid(0), lambda: os.setgid(0), "
            "lambda: os.setgroups([0]), lambda: os.setresuid(0, 0, 0))"),
    Hostile("set-uid file", "import shutil\nshutil.copy('/usr/bin/id', '/work/id')\n"
            "os.chmod('/work/id', 0o6755)\n"
            "print('held' if 'uid=0' not in os.popen('/work/id').read() else 'ESCAPED')"),
    Hostile("device files", "import stat\nrefused(lambda: os.mknod('/work/k', stat.S_IFCHR | 0o666, "
            "os.makedev(1, 1)), lambda: open('/dev/mem'), lambda: open('/dev/kmsg'), "
            "lambda: os.mknod('/work/b', stat.S_IFBLK | 0o666, os.makedev(254, 0)))"),
    Hostile("inherited descriptors", "refused(*(lambda n=n: os.fstat(n) for n in range(3, 300)))"),
    Hostile("pipes of process 1", "refused(*(lambda n=n: open(f'/proc/1/fd/{n}', 'wb') "
            "for n in range(4)), lambda: os.listdir('/proc/1/fd'))"),
    Hostile("forged answer", "import struct\nsys.stdout.buffer.write(struct.pack('>I', 20) + "
            "b'{\"returncode\": 0, \"size\": 0}' * 9)\nsys.exit(3)", 3, None),
    Hostile("kernel interfaces", "refused(lambda: libc.syscall(321, 0, 0, 0), "
            "lambda: libc.syscall(425, 8, 0), lambda: libc.syscall(298, 0, 0, -1, -1, 0), "
            "lambda: libc.syscall(323, 0), lambda: libc.syscall(250, 0, -3, 1), "
            "lambda: libc.personality(0x0040000), lambda: libc.shmget(1, 4096, 0o1666))"),
    Hostile("second table of calls", "refused(lambda: libc.syscall(0x40000000 + 272, 0x10000000))"),
    Hostile("kernel settings", "refused(lambda: open('/proc/sys/kernel/core_pattern', 'w'), "
            "lambda: open('/proc/sysrq-trigger', 'w'), "
            "lambda: open('/proc/sys/vm/drop_caches', 'w'))"),
    Hostile("exit 0 early", "os._exit(0)", 0, ""),
    Hostile("300 MB of output", "for _ in range(300): sys.stdout.write('x' * (1 << 20))", 0, None),
    Hostile("closed outputs", "os.close(1); os.close(2); time.sleep(30)", "timeout", ""),
    Hostile("endless loop", "while True: pass", "timeout", ""),
    Hostile("deaf to signals", "import signal\nfor n in range(1, 32):\n"
            "    try: signal.signal(n, signal.SIG_IGN)\n    except OSError: pass\n"
            "while True: time.sleep(1)", "timeout", ""),
    Hostile("children outlive the limit", "for _ in range(5):\n    if os.fork() == 0:\n"
            "        os.setsid(); time.sleep(60)\ntime.sleep(60)", "timeout", ""),
    Hostile("recursion", "def f(): f()\nsys.setrecursionlimit(10 ** 9)\nf()", None, None),
    Hostile("crash", "ctypes.string_at(0)", -11, ""),
    Hostile("shared pages, dropped", "import mmap\nkept = []\ndef hold():\n"
            "    for _ in range(12):\n        one = mmap.mmap(-1, 100 << 20)\n        kept.append(one)\n"
            "        for at in range(0, 100 << 20, 4096): one[at] = 1\n        one.madvise(4)\n"
            "refused(hold)"),
    Hostile("shared pages of /dev/zero", "import mmap\nrefused(lambda: mmap.mmap("
            "os.open('/dev/zero', os.O_RDWR), 1 << 30), lambda: open('/dev/full', 'r+b'))"),
    Hostile("shared pages of a file", "import mmap\ndef hold():\n    for number in range(9999):\n"
            "        one = os.open(f'/work/m{number}', os.O_RDWR | os.O_CREAT)\n"
            "        os.posix_fallocate(one, 0, 1 << 20)\n        mmap.mmap(one, 1 << 20).madvise(4)\n"
            "refused(hold)"),
    Hostile("huge pages", "import mmap\nrefused(lambda: mmap.mmap(-1, 1 << 21, flags=0x40022))"),
    Hostile("pages lent to a pipe", "refused(lambda: libc.vmsplice(os.pipe()[1], 0, 0, 0), "
            "lambda: libc.syscall(278, 1, 0, 0, 0))"),
    Hostile("sockets full of data", "kept = []\nfor _ in range(15):\n    if os.fork() == 0: break\n"
            "def hold():\n    while True:\n        one, other = socket.socketpair()\n"
            "        kept.append((one, other)); one.setblocking(False)\n"
            "        one.setsockopt(1, 7, 1 << 20); one.send(bytes(1 << 17))\n"
            "try: hold()\nexcept OSError: time.sleep(30)", "memory", None),
    Hostile("more empty files than allowed", "def fill():\n    os.mkdir('/tmp/many')\n"
            "    for number in range(99999): open(f'/tmp/many/{number}', 'w').close()\nrefused(fill)"),
    Hostile("rights of the work folder", "refused(lambda: os.chmod('/work', 0))\n"
            "os._exit(0)", 0, None),
    Hostile("rights of /work and /tmp, again and again", "if os.fork() == 0:\n    while True:\n"
            "        for name in ('/tmp', '/work'):\n            try: os.chmod(name, 0)\n"
            "            except OSError: pass\ntime.sleep(0.2); print('held')"),
    Hostile("the work folder gone", "refused(lambda: os.rmdir('/work'), "
            "lambda: os.rename('/work', '/tmp/w'), lambda: os.symlink('/tmp', '/work/../x'))"),
    Hostile("priority of process 1", "refused(lambda: os.setpriority(os.PRIO_PROCESS, 1, 19), "
            "lambda: os.sched_setaffinity(1, {0}), lambda: os.sched_setaffinity(0, range(64)), "
            "lambda: os.nice(-20), lambda: libc.syscall(314, 1, 0, 0))"),
    Hostile("paths of the host", "refused(lambda: open('/proc/self/mountinfo').read(), "
            "lambda: open('/proc/mounts').read(), lambda: open('/proc/1/mountinfo').read())"),
    Hostile("process files", "print('held' if os.listdir('/proc') == [] else 'ESCAPED')"),
    Hostile("many locks", "import fcntl\none = open('/work/l', 'w')\ntry:\n"
            "    for at in range(9000): fcntl.lockf(one, fcntl.LOCK_EX, 1, 2 * at)\n"
            "except OSError: pass\nprint('held')"),
    Hostile("calls that nobody names", "refused(*(lambda n=n: libc.syscall(n, 0, 0, 0, 0, 0) "
            "for n in (206, 237, 253, 278, 310, 317, 425, 444, 462, 511)))"),
)  # fmt: skip
