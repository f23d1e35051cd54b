"""Search for forgotten API keys in folders that are to be submitted or published."""

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from struct import pack
from typing import cast
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.compute as pc
from detect_secrets.core.plugins.initialize import from_plugin_classname
from detect_secrets.plugins.base import RegexBasedDetector

from vivavoce.results.logs.reading import check_size

_RULES = (
    *("AWSKeyDetector", "AzureStorageKeyDetector", "DiscordBotTokenDetector"),
    *("GitHubTokenDetector", "GitLabTokenDetector", "MailchimpDetector", "NpmDetector"),
    *("OpenAIDetector", "PrivateKeyDetector", "PypiTokenDetector", "SendGridDetector"),
    *("SlackDetector", "StripeDetector", "TelegramBotTokenDetector", "TwilioKeyDetector"),
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
_ONLY_IN_PYTHON = re.compile(r"\(\?!\\w\)|\\b|(?<=,)\d{3,}(?=})")
"""Parts of the patterns that RE2 lacks; without them, a pattern matches more."""
_ESCAPED_QUOTE = re.compile(r'\\+"')
"""Quotation mark of a text inside JSON, at any depth."""
_PIECE = 1 << 16
"""Characters searched at a time; longer texts are split with an overlap."""
_OVERLAP = 256
_BATCH = 1 << 24
"""Characters that are searched together, since a search has a fixed cost."""


def find_secrets(folder: Path) -> Iterator[str]:
    """Yield sentences on texts below a folder that look like keys: file, line or part, and kind.

    All parts of a log are searched: header, samples with transcripts and notes, and summaries.
    """
    rules = [cast(RegexBasedDetector, from_plugin_classname(name)) for name in _RULES]
    for batch in _batches(folder):
        if not _may_contain_keys("\n".join(text for *_, text in batch), rules):
            continue
        for name, part, text in batch:
            if not _may_contain_keys(text, rules):
                continue
            lines = ((f"line {n}", line) for n, line in enumerate(text.splitlines(), start=1))
            for place, piece in [(part, text)] if part else lines:
                if kind := _kind(piece, rules):
                    yield f"{place} of {name} seems to contain {kind}."


def _batches(folder: Path) -> Iterator[list[tuple[str, str, str]]]:
    """Yield names of files, names of parts of logs, and texts, some at a time."""
    batch, size = [], 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        for part, text in _parts(path):
            batch.append((name, part, _ESCAPED_QUOTE.sub('"', text)))
            size += len(text)
            if size > _BATCH:
                yield batch
                batch, size = [], 0
    yield batch


def _parts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield a file as one part without a name, or the parts of a log as stored."""
    if path.suffix != ".eval":
        with suppress(FileNotFoundError):  # a run in progress removed it
            yield "", path.read_text("utf-8", errors="replace")
        return
    import inspect_ai.log  # noqa: F401  # it adds the compression of its logs to zipfile

    try:
        check_size(path)
        with ZipFile(path) as archive:
            for name in archive.namelist():
                yield name, archive.read(name).decode("utf-8", "replace")
    except Exception:  # a damaged archive fails in many ways; verification reports it
        return


def _may_contain_keys(text: str, rules: list[RegexBasedDetector]) -> bool:
    """False if a text contains no key, as one fast pass of RE2 shows."""
    patterns = [_PROVIDER, _NAMED, *(pattern for rule in rules for pattern in rule.denylist)]
    sieve = "|".join(
        f"(?{'i' * bool(pattern.flags & re.IGNORECASE)}:"
        f"{_ONLY_IN_PYTHON.sub('', pattern.pattern)})".replace(r"\s", r"\W")
        for pattern in patterns
    )
    # `pa.array` would import pandas.
    content = text.encode("utf-8", "replace")
    ends = pa.py_buffer(pack("qq", 0, len(content)))
    stored = pa.Array.from_buffers(pa.large_string(), 1, [None, ends, pa.py_buffer(content)])
    return bool(pc.match_substring_regex(stored, pattern=sieve)[0].as_py())


def _kind(text: str, rules: list[RegexBasedDetector]) -> str | None:
    """Kind of the first key found in a text; None if there is no key."""
    for start in range(0, max(1, len(text)), _PIECE - _OVERLAP):
        piece = text[start : start + _PIECE]
        for pattern, kind in ((_PROVIDER, "a key of a provider"), (_NAMED, "a key")):
            if any(_RANDOM.search(match.group()) for match in pattern.finditer(piece)):
                return kind
        for rule in rules:
            if any(pattern.search(piece) for pattern in rule.denylist):
                return f"a key ({rule.secret_type})"
    return None
