"""Changes to JSON and XML as trees: bytes changed at random seldom stay well-formed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

from lxml import etree

_ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1, 10**30, 1.5, -0.0, 1e308, "", " ", "0", "\x00", "\ud800", "\u202e"),
    *("a" * 3_000, "[1]" * 500, "(" * 800, "|" * 800, [], {}, [[]], [{}], {"": {}}, [None] * 50),
)
_MAX_DEPTH = 60


def mutate_json(content: bytes, random_: random.Random) -> bytes | None:
    """The JSON with one to three of its values changed; None where it is none."""
    try:
        tree = [json.loads(content.decode("utf-8"))]
    except (ValueError, RecursionError):
        return None
    for _ in range(random_.randint(1, 3)):
        places = _places(tree)
        holder, key = random_.choice(places)
        _CHANGES_OF_JSON[random_.randrange(len(_CHANGES_OF_JSON))](holder, key, places, random_)
    return json.dumps(tree[0] if tree else None).encode() if _is_flat(tree) else None


def _places(tree: list[Any]) -> list[tuple[Any, Any]]:
    """Every value of a tree as (what holds it, its key)."""
    found: list[tuple[Any, Any]] = []
    waiting: list[Any] = [tree]
    while waiting and len(found) < 5_000:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return found or [({"": None}, "")]


def _is_flat(tree: list[Any]) -> bool:
    level: list[Any] = tree
    for _ in range(_MAX_DEPTH):
        level = [
            inside
            for part in level
            if isinstance(part, dict | list)
            for inside in (part.values() if isinstance(part, dict) else part)
        ]
    return not level


def _set_odd(holder: Any, key: Any, places: Any, random_: random.Random) -> None:
    holder[key] = copy.deepcopy(random_.choice(_ODD))


def _swap(holder: Any, key: Any, places: Any, random_: random.Random) -> None:
    other, other_key = random_.choice(places)
    holder[key] = copy.deepcopy(other[other_key])


def _wrap(holder: Any, key: Any, places: Any, random_: random.Random) -> None:
    holder[key] = random_.choice(([holder[key]], {"0": holder[key]}))


def _repeat(holder: Any, key: Any, places: Any, random_: random.Random) -> None:
    value = holder[key]
    if isinstance(value, str | list) and len(value) < 2_000:
        holder[key] = value * random_.choice((2, 3, 20))


def _shift(holder: Any, key: Any, places: Any, random_: random.Random) -> None:
    value = holder[key]
    if isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = value + random_.choice((-1, 1, -1000, 1000, 0.5))


def _drop(holder: Any, key: Any, places: Any, random_: random.Random) -> None:
    if isinstance(holder, dict):
        holder.pop(key, None)


_CHANGES_OF_JSON: tuple[Callable[[Any, Any, Any, random.Random], None], ...]
_CHANGES_OF_JSON = (_set_odd, _set_odd, _swap, _wrap, _repeat, _shift, _drop)


def mutate_xml(content: bytes, random_: random.Random) -> bytes | None:
    """The XML with one to three of its elements changed; None where it is none."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root is None:
        return None
    for _ in range(random_.randint(1, 3)):
        elements = list(root.iter(etree.Element))
        one, other = random_.choice(elements), random_.choice(elements)
        _CHANGES_OF_XML[random_.randrange(len(_CHANGES_OF_XML))](one, other, random_)
    return etree.tostring(root, encoding="utf-8", with_tail=False)


def _copy_into(one: etree._Element, other: etree._Element, random_: random.Random) -> None:
    other.insert(random_.randint(0, len(other)), copy.deepcopy(one))


def _move_into(one: etree._Element, other: etree._Element, random_: random.Random) -> None:
    if one.getparent() is not None and one is not other and one not in other.iterancestors():
        other.insert(random_.randint(0, len(other)), one)


def _remove(one: etree._Element, other: etree._Element, random_: random.Random) -> None:
    if (parent := one.getparent()) is not None:
        parent.remove(one)


def _rename(one: etree._Element, other: etree._Element, random_: random.Random) -> None:
    one.tag = other.tag


def _take_attributes(one: etree._Element, other: etree._Element, random_: random.Random) -> None:
    for key, value in other.attrib.items():
        one.set(key, value)


def _change_attribute(one: etree._Element, other: etree._Element, random_: random.Random) -> None:
    if one.attrib:
        key = random_.choice(sorted(map(str, one.attrib)))
        one.set(key, random_.choice(("", "-1", "0", "9999999999", "#", "b0 b1", "x" * 500)))


def _change_text(one: etree._Element, other: etree._Element, random_: random.Random) -> None:
    texts = (other.text, "", "[1-9999999]", "(" * 500, "1 " * 500, "et al., 2017; " * 80, "\u202e")
    one.text = random_.choice(texts)


def _change_tail(one: etree._Element, other: etree._Element, random_: random.Random) -> None:
    one.tail = random_.choice((other.tail, other.text, "", " 2.1 ", "–", "\n\n"))


_CHANGES_OF_XML: tuple[Callable[[etree._Element, etree._Element, random.Random], None], ...]
_CHANGES_OF_XML = (
    *(_copy_into, _move_into, _remove, _rename),
    *(_take_attributes, _change_attribute, _change_text, _change_tail),
)
MUTATORS = {"json": mutate_json, "xml": mutate_xml}
