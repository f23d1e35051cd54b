"""File names out of hostile names: they tell everything apart and never leave their folder."""

from __future__ import annotations

import re
import unicodedata

from vivavoce.store import hash_of

_LONGEST = 48
_OTHER = re.compile(r"[^a-z0-9]+")


def slug(name: str, *more: object) -> str:
    """A file name for `name`: lower-case ASCII, then 8 hex digits of its hash.

    `more` is what tells things of one name apart; only the hash holds it.
    """
    ascii_only = unicodedata.normalize("NFKD", name[:512]).encode("ascii", "ignore").decode()
    readable = _OTHER.sub("-", ascii_only.lower()).strip("-")[:_LONGEST].strip("-")
    digest = hash_of([name, *more])[:8]
    return f"{readable}-{digest}" if readable else digest
