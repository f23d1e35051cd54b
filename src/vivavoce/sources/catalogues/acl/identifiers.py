"""Ids of the ACL Anthology, put together from those of collection, volume and paper."""

from __future__ import annotations

import re

from vivavoce.errors import InputError

_OLD = re.compile(r"[A-Z][0-9]{2}")
_NEW = re.compile(r"[0-9]{4}\.[a-z0-9_]{1,60}")
_NEW_VOLUME = re.compile(r"[a-zA-Z0-9_]{1,60}")
_NUMBER = re.compile(r"[0-9]{1,5}")
_FIRST_WIDE_VOLUME_OF_D19 = 5


def is_collection(name: str) -> bool:
    """Whether a name is that of a collection, such as `P19` or `2020.acl`."""
    return bool(_OLD.fullmatch(name) or _NEW.fullmatch(name))


def build_id(collection: str, volume: str, paper: str) -> str:
    """The full id of a paper: `P19-1001`, `W19-0101` or `2020.acl-main.1`.

    Before 2020 four digits hold volume and paper. The volume has one of them; it has two in
    workshops (`W`), in `C69` and in the workshop volumes of `D19`, which begin with 5.
    `InputError` for parts that make no id.
    """
    if not _NUMBER.fullmatch(paper):
        raise InputError(f"the paper's id {paper[:40]!r} is not a number")
    if _NEW.fullmatch(collection) and _NEW_VOLUME.fullmatch(volume):
        return f"{collection}-{volume}.{int(paper)}"
    if not (_OLD.fullmatch(collection) and _NUMBER.fullmatch(volume)):
        raise InputError(f"{collection[:40]!r} and volume {volume[:40]!r} make no Anthology id")
    width = 2 if has_wide_volumes(collection, int(volume)) else 1
    digits = f"{int(volume):0{width}d}{int(paper):0{4 - width}d}"
    if len(digits) != 4:
        raise InputError(f"volume {volume} and paper {paper} of {collection} make no four digits")
    return f"{collection}-{digits}"


def has_wide_volumes(collection: str, volume: int) -> bool:
    """Whether the volumes of a collection before 2020 have two digits of the four."""
    if collection == "D19":
        return volume >= _FIRST_WIDE_VOLUME_OF_D19
    return collection.startswith("W") or collection == "C69"
