"""What cannot be done as things stand, each with its own way on."""

from __future__ import annotations

from vivavoce.errors import VivaError
from vivavoce.web.annotation.standing import Standing


class RefusedError(VivaError):
    """Something that cannot be done as things stand; the message says why."""


class NotYours(RefusedError):
    """The assignment does not exist or is somebody else's."""


class AlreadyDecided(RefusedError):
    """There is a decision already, or the page it was sent from is out of date."""

    def __init__(self, message: str, *, same: bool) -> None:
        super().__init__(message)
        self.same = same
        """Whether the label that stands is the one that was sent again."""


class Released(RefusedError):
    """The item went to somebody else, because it lay untouched or was skipped."""


class NotAllowed(RefusedError):
    """The person may not do this now; `standing` says why, where that is the reason."""

    def __init__(self, message: str, standing: Standing | None = None) -> None:
        super().__init__(message)
        self.standing = standing
