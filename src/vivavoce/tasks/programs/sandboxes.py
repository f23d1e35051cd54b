"""The sandboxes that programs may run in, and the little in which they differ.

Programs of a model never run without one: Inspect's `local`, which is none, is refused.
"""

from __future__ import annotations

import base64
import binascii
import errno
from pathlib import Path

from inspect_ai.util import SandboxEnvironment, SandboxEnvironmentSpec, registry_info

from vivavoce.errors import InputError
from vivavoce.sandbox.command import python_command
from vivavoce.sandbox.config import BwrapConfig
from vivavoce.sandbox.containers import compose_file, find_docker
from vivavoce.sandbox.provider import BwrapSandboxEnvironment

PROVIDERS = ("bwrap", "docker")
_CLEAR = "kill -9 -1; chmod -R u+rwX /work /tmp; find /work /tmp -mindepth 1 -delete"
"""Ends all that runs as the container's user, but for process 1 and this shell, and empties it."""


def sandbox_for(
    packages: tuple[str, ...], provider: str = "bwrap", seconds: int | None = None
) -> SandboxEnvironmentSpec:
    """The sandbox that programs run in.

    Args:
        packages: Distributions that programs may import; what these need comes with them.
        provider: `bwrap`, `docker`, or the path of a compose file or Dockerfile.
        seconds: How long a program may run at most; None for the sandbox's own limit.

    Raises:
        InputError: There is no such sandbox, as with `local`.
        MissingDocker: Docker is asked for and does not answer here.
    """
    if provider == "bwrap":
        return SandboxEnvironmentSpec("bwrap", _bwrap(packages, seconds))
    path = compose_file(packages) if provider == "docker" else _own_file(provider)
    find_docker()
    return SandboxEnvironmentSpec("docker", str(path))


def _bwrap(packages: tuple[str, ...], seconds: int | None) -> BwrapConfig:
    if seconds is None:
        return BwrapConfig(packages=packages)
    # Seconds of all threads together; far enough off that a busy program ends as one out of time.
    return BwrapConfig(packages=packages, wall_seconds=seconds, cpu_seconds=2 * seconds + 10)


def _own_file(provider: str) -> Path:
    path = Path(provider)
    is_named_so = path.suffix in {".yaml", ".yml"} or path.name.startswith("Dockerfile")
    if is_named_so and path.is_file():
        return path.resolve()
    raise InputError(
        f"sandbox={provider!r} is no sandbox that programs of a model may run in. There are: "
        f"{', '.join(PROVIDERS)}, or the path of a compose file or a Dockerfile."
    )


def _kind(box: SandboxEnvironment) -> str:
    """The one of `PROVIDERS` a sample's sandbox is; a run may have been given another by hand."""
    # What `sandbox()` gives is a proxy; asked for the base class, it gives what it stands for.
    actual = box.as_type(SandboxEnvironment)  # type: ignore[type-abstract]
    name = registry_info(type(actual)).name.rpartition("/")[2]
    if name not in PROVIDERS:
        raise InputError(
            f"Programs of a model do not run in the sandbox {name!r}, but in one of: "
            f"{', '.join(PROVIDERS)}. Leave --sandbox out, or name one with -T sandbox=."
        )
    return name


def python_inside(box: SandboxEnvironment) -> tuple[str, ...]:
    """The argv prefix that runs Python inside, without start-up files or the script's folder."""
    return python_command() if _kind(box) == "bwrap" else ("python3", "-I")


async def clear(box: SandboxEnvironment) -> None:
    """Take away what an earlier program left in a sandbox: files, and anything that runs."""
    if _kind(box) == "bwrap":
        await box.as_type(BwrapSandboxEnvironment).renew()
    else:
        await box.exec(["/bin/sh", "-c", _CLEAR])


async def end_all(box: SandboxEnvironment) -> None:
    """End whatever a program left running; the supervisor of bwrap has done so by itself."""
    if _kind(box) == "docker":
        await box.exec(["/bin/sh", "-c", "kill -9 -1"])


async def read_bytes(box: SandboxEnvironment, path: str) -> bytes:
    """Read a file; `OSError` or `OutputLimitExceededError` as `read_file` raises them.

    Raises:
        FileNotFoundError: It is not there, in a container also when it may not be read.
    """
    if _kind(box) == "bwrap":
        return await box.read_file(path, text=False)
    # What lies in memory, as all does that a program can write, cannot be copied out of docker.
    done = await box.exec(["/usr/bin/base64", "-w0", path])
    if not done.success:
        raise FileNotFoundError(errno.ENOENT, "cannot be read", path)
    try:
        return base64.b64decode(done.stdout, validate=True)
    except binascii.Error as error:
        raise OSError(errno.EIO, "cannot be read", path) from error
