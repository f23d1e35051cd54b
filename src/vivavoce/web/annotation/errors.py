"""Errors of the annotation app; the message of each says what can be done."""

from __future__ import annotations

import math

from vivavoce.errors import VivaError


class BusyError(VivaError):
    """The database is locked, restarting or out of reach; nothing was changed."""


class NotYours(VivaError):
    """The assignment does not exist or is somebody else's."""


class AlreadyDecided(VivaError):
    """There is a decision already, or the page it was sent from is out of date."""

    def __init__(self, message: str, *, same: bool) -> None:
        super().__init__(message)
        self.same = same
        """Whether the label that stands is the one that was sent again."""


class Released(VivaError):
    """The item went to somebody else, because it lay untouched or was skipped."""


class NotAllowed(VivaError):
    """The person may not do this now; `state` is the member state that forbids it, if one does."""

    def __init__(self, message: str, state: str | None = None) -> None:
        super().__init__(message)
        self.state = state


class WrongPassword(VivaError):
    """No such name, or another password; the message does not say which."""

    def __init__(self) -> None:
        super().__init__("This name and this password do not belong together. Try again.")


class TooManyAttempts(VivaError):
    """Too many wrong passwords; `seconds` says how long to wait."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        minutes = math.ceil(seconds / 60)
        super().__init__(
            "There were too many wrong passwords. Try again in "
            f"{minutes} {'minute' if minutes == 1 else 'minutes'}."
        )


class NotLoggedIn(Exception):
    """Nobody is logged in."""


class Refused(Exception):
    """A request that is answered by a page which says why, and what to do."""

    def __init__(self, status: int, heading: str, message: str) -> None:
        self.status, self.heading, self.message = status, heading, message
        super().__init__(message)
