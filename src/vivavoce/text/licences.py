"""Licences as sources state them: an address, a short name, or the first words of a notice."""

from __future__ import annotations

import re

_RESTRICTED = re.compile(r"non ?exclusive|\bnd\b|no ?deriv|all rights reserved|byn[cd]*nd")
_OPEN = re.compile(
    r"\bcc ?(?:0|zero)\b|\bcc ?by(?:nc|sa|\b)|public ?domain|"
    r"creativecommons\.org (?:licenses|licences) by\b|creative commons (?:attribution|by|zero)\b"
)


def is_open(licence: str | None) -> bool:
    """True if a licence lets everybody pass a text on, in parts as well.

    Those are CC0, the public domain, and CC BY with or without NC and SA. ND is not among them:
    an item cuts a paper into parts. Of several licences, joined by semicolons, each has to be one.
    """
    parts = [part for part in (licence or "").split(";") if part.strip()]
    return bool(parts) and all(map(_allows, parts))


def _allows(licence: str) -> bool:
    plain = " ".join(re.split(r"[\s/_:,()-]+", licence.casefold())).strip()
    return _OPEN.search(plain) is not None and _RESTRICTED.search(plain) is None
