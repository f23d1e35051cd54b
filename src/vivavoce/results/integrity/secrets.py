"""Search for forgotten API keys in folders that are to be submitted or published."""

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
"""Detectors that recognise keys by their form; entropy detectors would match any hash."""
_PROVIDER = re.compile(r"\b(?:(?:sk|pk|hf|gsk|xai|r8)[-_]|AIza)[A-Za-z0-9_-]{20,200}")
"""Keys of model providers, most of which the library does not know."""
_NAMED = re.compile(
    r"(?:api_?key|access_?token|auth_?token|secret)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[A-Za-z0-9_-]{24,200}",
    re.IGNORECASE,
)
"""Keys without a special form, recognised by their name."""
_RANDOM = re.compile(r"(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{16}")
"""Run of letters and digits that looks random, unlike words joined by hyphens."""
_PIECE = 1 << 16
"""Characters searched at a time; longer texts are split with an overlap."""
_OVERLAP = 256


def find_secrets(folder: Path, searched: Collection[str] = ()) -> Iterator[str]:
    """Yield sentences on texts below a folder that look like keys: file, line or part, and kind.

    Files whose paths are in `searched` are skipped. All parts of a log are searched: header,
    samples with transcripts and notes, and summaries.
    """
    rules: list[BasePlugin] = [from_plugin_classname(name) for name in _RULES]
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if name in searched:
            continue
        for place, text in _parts(path) if path.suffix == ".eval" else _lines(path, rules):
            if kind := _kind(text, rules):
                yield f"{place} of {name} seems to contain {kind}."


def _parts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the parts of a log as stored; a text that a sample repeats is stored once."""
    import inspect_ai.log  # noqa: F401  # it adds the compression of its logs to zipfile

    try:
        check_size(path)
        with ZipFile(path) as archive:
            for name in archive.namelist():
                yield name, archive.read(name).decode("utf-8", "replace")
    except Exception:  # a damaged archive fails in many ways; verification reports it
        return


def _lines(path: Path, rules: list[BasePlugin]) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file, with their numbers, if the file contains a key."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except FileNotFoundError:  # a run in progress removed it
        return
    if _kind(text, rules):
        yield from ((f"line {n}", line) for n, line in enumerate(text.splitlines(), start=1))


def _kind(text: str, rules: list[BasePlugin]) -> str | None:
    """Kind of the first key found in a text; None if there is no key."""
    for start in range(0, max(1, len(text)), _PIECE - _OVERLAP):
        piece = text[start : start + _PIECE]
        for pattern, kind in ((_PROVIDER, "a key of a provider"), (_NAMED, "a key")):
            if any(_RANDOM.search(match.group()) for match in pattern.finditer(piece)):
                return kind
        for rule in rules:
            if next(iter(rule.analyze_string(piece)), None):
                return f"a key ({rule.secret_type})"
    return None
