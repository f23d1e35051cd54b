"""The first page of a survey: its title and its abstract."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vivavoce.sources.leaderboards.survey.markdown import Heading, Paragraph, Part
from vivavoce.text.headings import role_of_heading

_LABEL = re.compile(r"[*_]{0,3}abstract[*_]{0,3}\s{0,2}[.:—–-]{0,3}[*_]{0,3}\s{0,2}", re.IGNORECASE)
_AFTER = re.compile(
    r"[*_]{0,3}(?:key ?words|index terms|ccs concepts|categories and subject|general terms"
    r"|additional key|acm reference|general chair|date:|received|\d* ?introduction\b)",
    re.IGNORECASE,
)
_FEWEST_WORDS = 60
_SENTENCE_END = (".", "!", "?", ")", "”")


def split_front(parts: Sequence[Part]) -> tuple[str | None, str | None, list[Part]]:
    """The title, the abstract and the parts from the first section on.

    A heading `Abstract` heads the abstract, the word starts it, or it is the first paragraph of
    running text before the sections.
    """
    headings = [place for place, part in enumerate(parts) if isinstance(part, Heading)]
    title = _title(parts, headings)
    first = next((p for p in headings if p != title and not _is_front(parts[p])), len(parts))
    body = list(parts[first:])
    front = [part for place, part in enumerate(parts[:first]) if place != title]
    heading = parts[title] if title is not None else None
    name = heading.text if isinstance(heading, Heading) else None
    abstract = _headed(front) or _labelled(front) or _unlabelled(front)
    return name, abstract or None, body


def _title(parts: Sequence[Part], headings: Sequence[int]) -> int | None:
    """Where the title stands: the first heading, unless that heads a section."""
    if not headings:
        return None
    heading = parts[headings[0]]
    is_section = isinstance(heading, Heading) and role_of_heading(heading.text) is not None
    return None if is_section else headings[0]


def _is_front(part: Part) -> bool:
    """Whether a heading belongs to the first page: the abstract, or key words and the like."""
    if not isinstance(part, Heading):
        return False
    role = role_of_heading(part.text)
    return role == "abstract" or (role is None and _AFTER.match(part.text) is not None)


def _headed(front: Sequence[Part]) -> str:
    for place, part in enumerate(front):
        if isinstance(part, Heading) and role_of_heading(part.text) == "abstract":
            return _joined(front[place + 1 :])
    return ""


def _labelled(front: Sequence[Part]) -> str:
    for place, part in enumerate(front):
        label = _LABEL.match(part.text) if isinstance(part, Paragraph) else None
        if label is not None and isinstance(part, Paragraph):
            rest = part.text[label.end() :]
            first = [Paragraph(rest)] if rest else []
            return _joined([*first, *front[place + 1 :]])
    return ""


def _unlabelled(front: Sequence[Part]) -> str:
    for place, part in enumerate(front):
        if isinstance(part, Paragraph) and _is_prose(part.text):
            return _joined(front[place:])
    return ""


def _joined(parts: Sequence[Part]) -> str:
    """The first paragraphs of prose; one that is cut off goes on in the next."""
    paragraphs: list[str] = []
    is_cut = False
    for part in parts:
        if not isinstance(part, Paragraph) or _AFTER.match(part.text):
            break
        if is_cut:
            paragraphs[-1] += f" {part.text}"
        elif not paragraphs or _is_prose(part.text):
            paragraphs.append(part.text)
        else:
            break
        is_cut = not part.text.endswith(_SENTENCE_END)
    return "\n\n".join(paragraphs)


def _is_prose(text: str) -> bool:
    """Whether a paragraph is running text and no list of names and places."""
    words = [word for word in text.split() if word[:1].isalpha()]
    small = sum(word[0].islower() for word in words)
    return len(words) >= _FEWEST_WORDS and small >= 0.6 * len(words)
