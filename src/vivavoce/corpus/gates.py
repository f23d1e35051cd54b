"""Quality gates: what a paper must have to be a benchmark target, with a reason for each miss."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from vivavoce.records import Section

MIN_TITLE_WORDS, MAX_TITLE_WORDS = 2, 40
MIN_ABSTRACT_WORDS, MAX_ABSTRACT_WORDS = 40, 600
MIN_TEXT_WORDS = 400
MAX_GARBLED_SHARE = 0.01

GATES = {
    "not_a_paper": "only sources that hold no papers describe it, such as questions and answers",
    "no_title": "the paper has no title",
    "odd_title": f"the title has fewer than {MIN_TITLE_WORDS} or over {MAX_TITLE_WORDS} words",
    "no_abstract": "the paper has no abstract",
    "short_abstract": f"the abstract has fewer than {MIN_ABSTRACT_WORDS} words",
    "long_abstract": f"the abstract has over {MAX_ABSTRACT_WORDS} words",
    "no_text": "no source gave the paper's sections",
    "short_text": f"the sections have fewer than {MIN_TEXT_WORDS} words together",
    "garbled_text": f"over {MAX_GARBLED_SHARE:.0%} of the text is undecodable characters",
    "undated": "no date is known, so the paper is neither target nor demonstration",
}
"""Each gate's name and what failing it means."""


def failed_gates(
    title: str | None,
    abstract: str | None,
    published: str | None,
    sections: Sequence[Section],
    *,
    is_paper: bool = True,
) -> tuple[str, ...]:
    """The gates a paper does not pass, in the order of `GATES`."""
    failed = {
        *(() if is_paper else ("not_a_paper",)),
        *_title_gates(title),
        *_abstract_gates(abstract),
        *_text_gates(sections),
        *(() if published else ("undated",)),
    }
    return tuple(gate for gate in GATES if gate in failed)


def _title_gates(title: str | None) -> tuple[str, ...]:
    if not title:
        return ("no_title",)
    words = len(title.split())
    return () if MIN_TITLE_WORDS <= words <= MAX_TITLE_WORDS else ("odd_title",)


def _abstract_gates(abstract: str | None) -> tuple[str, ...]:
    if not abstract:
        return ("no_abstract",)
    words = len(abstract.split())
    if words < MIN_ABSTRACT_WORDS:
        return ("short_abstract",)
    return ("long_abstract",) if words > MAX_ABSTRACT_WORDS else ()


def _text_gates(sections: Sequence[Section]) -> tuple[str, ...]:
    if not sections:
        return ("no_text",)
    texts = [section.text for section in sections]
    failed = []
    if sum(len(text.split()) for text in texts) < MIN_TEXT_WORDS:
        failed.append("short_text")
    characters = sum(len(text) for text in texts)
    garbled = sum(_count_garbled(text) for text in texts)
    if characters and garbled / characters > MAX_GARBLED_SHARE:
        failed.append("garbled_text")
    return tuple(failed)


def _count_garbled(text: str) -> int:
    if text.isascii():
        return 0
    return sum(1 for c in text if c == "\ufffd" or unicodedata.category(c) in ("Co", "Cn", "Cs"))
