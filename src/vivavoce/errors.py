"""The errors that a user can meet, each with the exit code that it gives `viva`.

```
VivaError                1   the work failed
├── DamagedError         1   a stored file no longer matches its recorded hash
├── StaleError           1   a step has to be done first
├── EmptyRoundError      1   a round would hold no item
├── NothingToAuditError  1   logs hold nothing that an audit compares
├── InputError           2   wrong use or unreadable input
│   ├── NoItemsError     2   a task has no item in a setting
│   └── UnreadableError  2   a file has to be changed before it can be read
├── ProviderError        1   a provider refuses for good
├── MissingExtra         1   an optional package is not installed
├── PluginError          1   an installed package registers something unusable
└── LockedError         75   another process holds the corpus or round
```
"""


class VivaError(Exception):
    """Work that failed; the message says what, where and what to do."""

    exit_code = 1


class DamagedError(VivaError):
    """A stored file is missing or differs from the hash recorded for it."""


class StaleError(VivaError):
    """A command needs a step that was not done, or was done before something changed."""


class EmptyRoundError(VivaError):
    """A round that would hold no item; the message counts why papers were left out."""


class NothingToAuditError(VivaError):
    """Logs that hold nothing an audit compares; the message says which runs would."""


class InputError(VivaError):
    """Wrong use or unreadable input; the message names the file, the line or the id."""

    exit_code = 2


class UnreadableError(InputError):
    """A file that cannot be read until the user changes it; `kind` says what is wrong."""

    def __init__(self, reason: str, kind: str) -> None:
        self.kind = kind
        super().__init__(reason)


class NoItemsError(InputError):
    """A task has no item in a setting; a run of several tasks leaves it out."""


class ProviderError(VivaError):
    """A provider refuses a request for good, or sends a reply that cannot be read."""


class MissingExtra(VivaError):
    """An optional package is not installed.

    The message carries the pip command that installs it.
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package}. "
            f"Install it with: pip install 'vivavoce[{extra}]'"
        )


class PluginError(VivaError):
    """A plug-in that cannot be loaded or clashes with another; the message names the package."""


class LockedError(VivaError):
    """Another process holds a folder; `pid` is that process, or None when unknown."""

    exit_code = 75

    def __init__(self, folder: str, pid: int | None) -> None:
        self.pid = pid
        owner = f"process {pid}" if pid is not None else "another process"
        super().__init__(f"{folder} is held by {owner}. Wait for it to end, then run this again.")
