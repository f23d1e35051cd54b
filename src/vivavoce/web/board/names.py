"""Contestants of a board in print: names, kinds, and the settings of each run."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from vivavoce.store import SHORT_HASH, Row, hash_of
from vivavoce.text.printing import counted, visible

NO_MODEL = ("", "none", "none/none", "null", "null/null")
_CONTROLS = ("oracle", "null", "copycat", "random")
_BASELINE_PROVIDERS = ("extractive", "none", "null")
TAGS = {"model": "", "baseline": "Baseline", "floor": "Floor", "ceiling": "Ceiling"}
_CACHED = 8192


def kind_of(row: Row) -> str:
    """`model`, `baseline`, `floor` or `ceiling`."""
    return _kind(str(row["method"]), str(row["model"]))


@lru_cache(maxsize=_CACHED)
def _kind(method: str, model: str) -> str:
    if method == "oracle":
        return "ceiling"
    if method == "null" or model in ("null", "null/null"):
        return "floor"
    is_baseline = method in _CONTROLS or model.split("/", 1)[0] in _BASELINE_PROVIDERS
    return "baseline" if is_baseline else "model"


def is_floor(row: Row) -> bool:
    """True for answers made without the item: constant ones and random ones."""
    return kind_of(row) == "floor" or row["method"] == "random"


def shown_name(row: Row) -> str:
    """The name under which a row stands, as the row spells it."""
    is_method = row["model"] in NO_MODEL or row["method"] in _CONTROLS
    return str(row["method"] if is_method else row["model"])


def name_and_details(row: Row) -> tuple[str, list[str]]:
    """A contestant's name, and the line under it in small type."""
    name = visible(shown_name(row))
    if row["model"] in NO_MODEL:
        return name, []
    if row["method"] in _CONTROLS:
        return name, [f"run as {visible(row['model'])}"]
    alias = [visible(row["alias"])] if row.get("alias") else []
    return name, [*alias, visible(row["method"])]


def run_with(row: Row) -> list[str]:
    """All words beside a row of a contestant's own page."""
    _, details = name_and_details(row)
    facts = () if row["model"] in NO_MODEL else facts_of(row)
    return [*details, *facts, *tries_of(row)]


def label(row: Row) -> str:
    """A contestant's name in a sentence, distinguished from other uses of its model."""
    name, details = name_and_details(row)
    is_plain = row["method"] in _CONTROLS or not details
    others = [] if is_plain else [one for one in details if one != "direct"]
    return f"{name} ({', '.join(others)})" if others else name


def title_of(task: str) -> str:
    """A task's name in words."""
    words = visible(task).rsplit("/", 1)[-1].replace("_", " ")
    return words[:1].upper() + words[1:]


def facts_of(row: Row) -> tuple[str, ...]:
    """Settings of a contestant's run: decoding, prompt and judge."""
    facts = _decoding(row["decoding"])
    if row["prompt_hash"]:
        facts.append(f"prompt {visible(row['prompt_hash'])[:SHORT_HASH]}")
    if row["judge"]:
        facts.append(f"judge {visible(row['judge'])}")
    return tuple(facts)


def _decoding(settings: object) -> list[str]:
    if isinstance(settings, Mapping):
        pairs = [(key, settings[key]) for key in sorted(settings)]
    else:
        words = visible(settings).split() if settings else []
        pairs = [(word.partition("=")[0], word.partition("=")[2] or None) for word in words]
        if any(value is None for _, value in pairs):
            return [" ".join(words)]
    return [
        f"{visible(key).replace('_', ' ')} {visible(value)}"
        for key, value in pairs
        if value is not None
    ]


def shared_facts(rows: Sequence[Row]) -> tuple[str, ...]:
    """Settings shared by all contestants with a model, or by all where none has one."""
    of_models = [facts_of(row) for row in rows if row["model"] not in NO_MODEL]
    everyone = of_models or [facts_of(row) for row in rows]
    if not everyone:
        return ()
    common = set(everyone[0]).intersection(*everyone[1:])
    return tuple(fact for fact in everyone[0] if fact in common)


def tries_of(row: Row) -> list[str]:
    """Other runs of the same model there, of which this may be the best."""
    runs = row["runs"] or {}
    told = []
    if runs.get("variants"):
        told.append(f"{counted(runs['variants'], 'other way', 'other ways')} tried")
    if runs.get("removed"):
        told.append(f"{runs['removed']:,} logs taken out")
    return told


def identity_of(row: Row) -> tuple[str, str]:
    """Identity of a contestant's page: a kind and a name, such as ("model", "maker/name")."""
    return _identity(row["method"], row["model"])


@lru_cache(maxsize=_CACHED)
def _identity(method: str | None, model: str | None) -> tuple[str, str]:
    row = {"method": method, "model": model}
    return kind_of(row), shown_name(row)


def model_path(row: Row) -> str:
    """Path of the page of a row's contestant."""
    return path_of(*identity_of(row))


def path_of(kind: str, name: str) -> str:
    """Path of a contestant's page."""
    return f"models/{slug(name, kind)}.html"


_MAX_LENGTH = 48
_OTHER = re.compile(r"[^a-z0-9]+")


def slug(name: str, *more: object) -> str:
    """A file name for `name`: lower-case ASCII, then 8 hex digits of its hash.

    `more` is what tells things of one name apart; only the hash holds it.
    """
    ascii_only = unicodedata.normalize("NFKD", name[:512]).encode("ascii", "ignore").decode()
    readable = _OTHER.sub("-", ascii_only.lower()).strip("-")[:_MAX_LENGTH].strip("-")
    digest = hash_of([name, *more])[:8]
    return f"{readable}-{digest}" if readable else digest
