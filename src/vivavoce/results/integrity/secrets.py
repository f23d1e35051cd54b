"""Search of folders that are handed in or published for keys that somebody forgot in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from detect_secrets.core.scan import scan_line
from detect_secrets.settings import transient_settings
from inspect_ai.log import read_eval_log, read_eval_log_samples

from vivavoce.results.integrity.comparing import where

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
"""Those of detect-secrets that know a key by its form: guesses by entropy would fit any hash."""
_PROVIDER = re.compile(r"\b(?:sk|pk|hf|gsk|xai|r8|AIza)[-_]?[A-Za-z0-9_-]{24,200}")
"""Keys of providers of models, of which the library knows the fewest."""
_HAS_BOTH = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])")
_PIECE = 1 << 16
"""Characters that are looked at together; a longer line is cut with an overlap."""
_OVERLAP = 256


def find_secrets(folder: Path) -> Iterator[str]:
    """Texts below a folder that look like keys: the file, the line, and the kind of key.

    Logs are searched as they are read: header, answers, transcripts and notes of every sample.
    """
    with transient_settings({"plugins_used": [{"name": name} for name in _RULES]}):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder).as_posix()
            for place, text in _parts(path):
                if kind := _kind(text):
                    yield f"{place} of {name} holds what looks like {kind}."


def _parts(path: Path) -> Iterator[tuple[str, str]]:
    """The texts of a file with their places: lines, or the samples of a log."""
    if path.suffix != ".eval":
        with path.open(encoding="utf-8", errors="replace") as lines:
            yield from ((f"line {number}", line) for number, line in enumerate(lines, start=1))
        return
    try:
        yield "the header", read_eval_log(str(path), header_only=True).model_dump_json()
        for sample in read_eval_log_samples(
            str(path), all_samples_required=False, resolve_attachments=True
        ):
            yield where(sample.id, sample.epoch), sample.model_dump_json()
    except Exception:  # a damaged archive fails in many ways; it is told as unreadable
        return


def _kind(text: str) -> str | None:
    """The kind of the first key in a text."""
    for start in range(0, max(1, len(text)), _PIECE - _OVERLAP):
        piece = text[start : start + _PIECE]
        if any(_HAS_BOTH.match(found.group()) for found in _PROVIDER.finditer(piece)):
            return "a key of a provider"
        if found := next(iter(scan_line(piece)), None):
            return f"a key ({found.type})"
    return None
