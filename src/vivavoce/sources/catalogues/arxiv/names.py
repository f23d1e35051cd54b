"""Names of authors as arXiv's listings write them, and collaborations that people write for."""

from __future__ import annotations

import re

from vivavoce.sources.fulltext.latex.typeset import plain_text

_LONGEST_NAME = 300
_INITIAL = re.compile(r"(?<=[^\W\d_])\.(?=[^\W\d_])")
_SPLIT_INITIALS = re.compile(r"\. -(?=[^\W\d_])")
GROUP = r"(?:collaborations?|consortium|team|group)\b"
FOR = re.compile(
    rf"(?:^|\s)(?:for|on behalf of)\s+(?:the\s+|(?=(?:[^\s,;]+\s){{1,6}}?{GROUP}))",
    re.IGNORECASE,
)
"""Between a person and those for whom they write."""


def part_names(name: str) -> tuple[str, ...]:
    """A person and the collaboration they write for as two names; none without letters.

    After a collaboration that heads its members, arXiv takes the colon for one more author.
    """
    parts = FOR.split(spell_name(name))
    return tuple(part.strip() for part in parts if any(map(str.isalpha, part)))


def spell_name(name: str) -> str:
    """A name in one line: accents of TeX as characters, initials as in `J.-N. F. One`."""
    if len(name) <= _LONGEST_NAME and any(sign in name for sign in "\\{}~"):
        name = plain_text(name)
    return _SPLIT_INITIALS.sub(".-", _INITIAL.sub(". ", " ".join(name.split())))
