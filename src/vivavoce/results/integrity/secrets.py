"""Search of folders that are handed in or published for keys that somebody forgot in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from zipfile import ZipFile

from detect_secrets.core.plugins.initialize import from_plugin_classname
from detect_secrets.plugins.base import BasePlugin

from vivavoce.results.logs.reading import check_size

_RULES = (
    "AWSKeyDetector",
    "AzureStorageKeyDetector",
    "DiscordBotTokenDetector",
    "GitHubTokenDetector",
    "GitLabTokenDetector",
    "MailchimpDetector",
    "NpmDetector",
    "OpenAIDetector",
    "PrivateKeyDetector",
    "PypiTokenDetector",
    "SendGridDetector",
    "SlackDetector",
    "StripeDetector",
    "TelegramBotTokenDetector",
    "TwilioKeyDetector",
)
"""Detectors of detect-secrets that know a key by its form; guesses by entropy fit any hash."""
_PROVIDER = re.compile(r"\b(?:(?:sk|pk|hf|gsk|xai|r8)[-_]|AIza)[A-Za-z0-9_-]{20,200}")
"""Keys of providers of models, of which the library knows the fewest."""
_NAMED = re.compile(
    r"(?:api_?key|access_?token|auth_?token|secret)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[A-Za-z0-9_-]{24,200}",
    re.IGNORECASE,
)
"""A key without a form of its own, which is called one."""
_RANDOM = re.compile(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{16}")
"""Characters that words joined by hyphens do not have."""
_PIECE = 1 << 16
"""Characters that are looked at together; a longer text is cut with an overlap."""
_OVERLAP = 256


def find_secrets(folder: Path, searched: Collection[str] = ()) -> Iterator[str]:
    """Texts below a folder that look like keys: the file, its line or part, and the kind of key.

    Files whose paths are in `searched` are left out. Of a log every part is searched: header,
    samples with answers, transcripts and notes, and summaries.
    """
    rules: list[BasePlugin] = [from_plugin_classname(name) for name in _RULES]
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if name in searched:
            continue
        for place, text in _parts(path) if path.suffix == ".eval" else _lines(path, rules):
            if kind := _kind(text, rules):
                yield f"{place} of {name} holds what looks like {kind}."


def _parts(path: Path) -> Iterator[tuple[str, str]]:
    """The parts of a log as they are stored: a text of several places of a sample is there once."""
    import inspect_ai.log  # noqa: F401  # it teaches zipfile the compression of its logs

    try:
        check_size(path)
        with ZipFile(path) as archive:
            for name in archive.namelist():
                yield name, archive.read(name).decode("utf-8", "replace")
    except Exception:  # a damaged archive fails in many ways; verifying it says so
        return


def _lines(path: Path, rules: list[BasePlugin]) -> Iterator[tuple[str, str]]:
    """The lines of a file, where there is a key in it at all."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except FileNotFoundError:  # a run that goes on took it away
        return
    if _kind(text, rules):
        yield from ((f"line {n}", line) for n, line in enumerate(text.splitlines(), start=1))


def _kind(text: str, rules: list[BasePlugin]) -> str | None:
    """The kind of the first key in a text."""
    for start in range(0, max(1, len(text)), _PIECE - _OVERLAP):
        piece = text[start : start + _PIECE]
        for pattern, kind in ((_PROVIDER, "a key of a provider"), (_NAMED, "a key")):
            if any(_RANDOM.search(found.group()) for found in pattern.finditer(piece)):
                return kind
        for rule in rules:
            if next(iter(rule.analyze_string(piece)), None):
                return f"a key ({rule.secret_type})"
    return None
