"""The limits and contents of a sandbox."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.errors import VivaError


class BwrapConfig(BaseModel):
    """Contents and limits of a sandbox.

    Sizes are in MiB, times in seconds. `packages` names the installed distributions that programs
    may import; what those require comes with them.
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
    """The program that makes sandboxes is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Programs run only inside a sandbox, which needs the program bwrap. "
            "Install it with: apt-get install -y bubblewrap"
        )


class UnknownProcessor(VivaError):
    """No filter of system calls is written for this machine's processor."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"Programs run only under a filter of system calls, and none is written for {name}. "
            "Use x86_64 or aarch64, or -T sandbox=docker."
        )


class SandboxLost(VivaError):
    """The sandbox ended or answered nonsense; the next use starts a fresh, empty one."""
