"""Errors of a sandbox itself, as opposed to those of the program inside it."""

from __future__ import annotations

from vivavoce.errors import VivaError


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
