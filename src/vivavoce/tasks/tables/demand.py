"""The demand for a table: the one that came with it, one of a file, or one from a template.

A template's demand asks for a table in one sentence, of the field that the survey's title names and
a noun phrase of the caption. Where neither is left the table waits for a demand by a model, and so
does a second table of a survey with the same words. Every demand goes through the checklist:
self-contained, goal-oriented, concise, not leaking. A demand of a file that fails it makes no item;
one that came with the table is taken as it is.

Source: arXiv2Table, section 4.1 and Table 13. The checks are tests of words. They find demands that
are plainly at fault, and are not a substitute for the spot checks of people.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from vivavoce.checking import Name, Ordinal, read_records
from vivavoce.errors import InputError
from vivavoce.rounds.family import Exclusion
from vivavoce.tasks.tables.demand_leaks import (
    MAX_DEMAND,
    LeakIndex,
    is_telling,
    leak_index,
    names_in,
    stems_of,
    telling_words,
)
from vivavoce.tasks.tables.gold import GoldTables
from vivavoce.tasks.tables.grid import without_number
from vivavoce.tasks.tables.item import TASK, GoldTable, TablesOptions
from vivavoce.text.cell_text import plain_words
from vivavoce.text.data import read_data
from vivavoce.text.sentences import split_sentences

Source = Literal["template", "model", "given"]
"""Origin of a demand's wording: a template, a model, or the file that the table is from."""

ACCEPT, REWRITE = "ACCEPT", "REWRITE"
CHECKS = ("self_contained", "goal_oriented", "concise", "non_leaking")
MAX_SENTENCES = 2
MAX_WORDS = 90
MAX_ITEMS = 6
"""Items of one enumeration; a longer one reads like a list of columns."""
_MAX_REASONS = 8
_MAX_CAPTION = 600
_MAX_TITLE = 300
_MAX_FIELD, _MAX_TOPIC, _MIN_TOPIC = 12, 8, 2
"""Words of a field, and of a phrase of the caption."""

_DATA = read_data(__file__, "demand.toml")
_ASKING, _AIMS = tuple(_DATA["asking"]), tuple(_DATA["aims"])
_POINTING = re.compile(
    r"\b(?:(?:this|the|our) (?:paper|manuscript|article|survey|section|caption)"
    r"|(?:table|figure|section|appendix|eq\.?|equation) \(?(?:[ivxlc]{1,7}|\d{1,3})\b"
    r"|(?:the )?(?:above|aforementioned|following|preceding|attached|original|given|provided)"
    r" (?:table|papers?|works?|stud(?:y|ies)|list)"
    r"|(?:listed|given|shown|described|mentioned) (?:above|below|here)|see (?:above|below)"
    r"|(?:table|papers?|list|caption) (?:above|below))\b"
    r"|\[\d{1,3}(?:\s?[,–-]\s?\d{1,3})*\]|\bet al\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[.!?;:()]")
_ITEM_MARK = re.compile(r",|\band\b|\bor\b", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\bcite\w{0,9}:\S+|https?://\S+")
_LEAD_IN = re.compile(r"^(?:\S+\s+){1,4}?(?:of|on|for|about|between|among|across)\s+")
"""Words that name the kind of a table: `Summary of`, `A comparison between`."""
_BREAK = re.compile(r"[.:;,!?–—]|\s-\s|\b(?:based on|by|with|using|that|which|are|is|was|were)\b")
"""End of the subject: punctuation, or a turn to how the works are compared."""
_TITLE_PARTS = re.compile(r"[:?!]\s|\s[–—-]\s")
_JOINING = frozenset({"and", "or", "to"})
"""Words beside which a phrase is a part of something else."""
_WORD = re.compile(r"[^\W_]+(?:[-‐‑'’][^\W_]+)*")


def check_demand(
    demand: str, table: GoldTable, titles: Sequence[str], index: LeakIndex | None = None
) -> dict[str, str]:
    """Reason why each point of the checklist failed; empty for one that passed."""
    reasons = (
        _not_self_contained(demand, table.caption, titles),
        _not_goal_oriented(demand),
        _not_concise(demand),
        _leaking(demand, index or leak_index(table, titles)),
    )
    return dict(zip(CHECKS, reasons, strict=True))


def failures(checks: Mapping[str, str]) -> str:
    """The reasons of the points that failed, in one line; empty where all passed."""
    return " ".join(filter(None, checks.values()))


def _not_self_contained(demand: str, caption: str, titles: Sequence[str]) -> str:
    if pointing := _POINTING.search(demand):
        return f"It points to something that a reader does not have: '{pointing[0]}'."
    known = {stem for text in (caption, *titles) for stem in stems_of(telling_words(text))}
    topic = set(stems_of(telling_words(demand))) - _stems(_ASKING) - _stems(_AIMS)
    return "" if topic & known else "It does not say what the papers are about."


def _not_goal_oriented(demand: str) -> str:
    stems = set(stems_of(telling_words(demand)))
    if not stems & _stems(_ASKING):
        return "It does not ask for a table, an overview or a comparison."
    return "" if stems & _stems(_AIMS) else "It does not say what the table is for."


@cache
def _stems(words: tuple[str, ...]) -> frozenset[str]:
    """Worked out when first needed: stemming takes seconds to import."""
    return frozenset(stems_of(words))


def _not_concise(demand: str) -> str:
    sentences, words = len(split_sentences(demand)), len(demand.split())
    if not 0 < sentences <= MAX_SENTENCES:
        return f"It has {sentences} sentences; 1 or {MAX_SENTENCES} are asked for."
    if words > MAX_WORDS:
        return f"It has {words} words; {MAX_WORDS} are allowed."
    if any(len(_ITEM_MARK.findall(part)) > MAX_ITEMS for part in _CLAUSES.split(demand)):
        return f"It enumerates more than {MAX_ITEMS} things."
    return ""


def _leaking(demand: str, index: LeakIndex) -> str:
    leaks = index.leaks(demand)
    if not leaks:
        return ""
    shown = "; ".join(str(leak) for leak in leaks[:_MAX_REASONS])
    more = f"; and {len(leaks) - _MAX_REASONS} more" if len(leaks) > _MAX_REASONS else ""
    return f"It gives parts of the table away: {shown}{more}."


def template_demand(table: GoldTable, titles: Sequence[str]) -> str | None:
    """A demand worded without a model; None where no topic is left."""
    index = leak_index(table, titles)
    field = _field_of(table.survey, index)
    known = set(stems_of(telling_words(" ".join((table.survey, *titles)))))
    topic = _caption_topic(table.caption, known, index)
    if field and topic and topic.casefold() not in field.casefold():
        demand = _DATA["of_both"].format(field=field, topic=topic)
    elif field:
        demand = _DATA["of_field"].format(field=field)
    elif topic:
        demand = _DATA["of_topic"].format(topic=topic)
    else:
        return None
    return None if failures(check_demand(demand, table, titles, index)) else str(demand)


def _field_of(title: str, index: LeakIndex) -> str:
    """The field that the title of a survey names: `Parsers: a survey`, `A survey of parsers`.

    What a survey is said to be of goes before the rest of the title.
    """
    named: list[list[str]] = []
    for part in _TITLE_PARTS.split(plain_words(title[:_MAX_TITLE])):
        words = _WORD.findall(part)
        stems = stems_of(words)
        survey = next((at for at, stem in enumerate(stems) if stem in _stems(_ASKING)), len(words))
        behind = words[survey + 1 :]
        if len(behind) > 1 and not is_telling(behind[0]):
            named.insert(0, behind[1:])
        else:
            named.append(words[:survey])
    for words in named:
        while words and not is_telling(words[-1]):
            words = words[:-1]
        if words and len(words) <= _MAX_FIELD and (phrase := _clean_phrase(words, index)):
            return phrase
    return ""


def _caption_topic(caption: str, known: Collection[str], index: LeakIndex) -> str:
    """The longest noun phrase without a leak in the first clause of a caption.

    What leads to the subject is left out, as in `Summary of parsers`. A caption without it may be a
    sentence, so every word of its phrase has to be in a title. A phrase has no `to`, is not part of
    an enumeration, and ends in no verb.
    """
    text = _ASIDE.sub(" ", without_number(plain_words(caption[:_MAX_CAPTION])))
    clause = next(filter(str.strip, _BREAK.split(text)), "").strip()
    subject = _LEAD_IN.sub("", clause)
    words = _WORD.findall(subject)
    enough = any if subject != clause else all
    ends = [at for at in range(len(words) + 1) if at == len(words) or not is_telling(words[at])]
    starts = [0, *(at + 1 for at in ends)]
    around = ["", *(word.lower() for word in words), ""]
    runs = [
        words[at:end]
        for at in starts
        for end in ends
        if 0 < end - at <= _MAX_TOPIC and _JOINING.isdisjoint((around[at], around[end + 1]))
    ]
    sound = (
        run for run in sorted(runs, key=len, reverse=True) if _is_noun_phrase(run, known, enough)
    )
    return next(filter(None, (_clean_phrase(run, index) for run in sound)), "")


def _is_noun_phrase(
    words: Sequence[str], known: Collection[str], enough: Callable[[Iterable[bool]], bool]
) -> bool:
    """Check that a run of words can be a noun phrase about the works of some titles.

    Args:
        words: The run.
        known: Stems of the words in the titles.
        enough: `any` or `all`: how many of its words have to be among them.
    """
    telling = [word for word in words if is_telling(word)]
    stems = stems_of(telling)
    return (
        len(telling) >= _MIN_TOPIC
        and "to" not in words
        and enough(stem in known for stem in stems)
        and not (words[-1].endswith("ing") and stems[-1] not in known)
        and not any(one.isupper() and other.isupper() for one, other in pairwise(words))
    )


def _clean_phrase(words: Sequence[str], index: LeakIndex) -> str:
    """Words as a phrase; empty if it leaks, or begins or ends with a stop word."""
    phrase = " ".join(words)
    if not is_telling(words[0]) or not is_telling(words[-1]) or index.leaks(phrase):
        return ""
    # Titles are in capitals; only names keep theirs.
    return " ".join(word if names_in(word) else word.lower() for word in words)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on one wording."""

    attempt: Ordinal
    demand: str
    check: str
    """`checklist`, `model`, or `answer` when the model gave no wording."""
    decision: Annotated[str, Field(pattern=f"^({ACCEPT}|{REWRITE})$")]
    reason: str


@dataclass(frozen=True, slots=True)
class WrittenDemand:
    """A row of a file of demands."""

    id: Name
    """The table's."""
    demand: Annotated[str, Field(max_length=MAX_DEMAND, pattern=r"\S")] | None
    """Demand; None where every attempt failed: the last verdict says why."""
    model: Name
    attempts: Ordinal
    verdicts: tuple[Verdict, ...]

    @property
    def reason(self) -> str:
        """Reason of the last verdict."""
        return self.verdicts[-1].reason if self.verdicts else ""


def read_demands(path: Path) -> dict[str, WrittenDemand]:
    """The demands of a file, by table.

    Rows are JSON objects {id, demand, model, attempts, verdicts: [{attempt, demand, check,
    decision, reason}]}; other keys are skipped.

    Raises:
        InputError: Names the file, the line and what is wrong with it.
    """
    demands: dict[str, WrittenDemand] = {}
    for where, demand in read_records(path, WrittenDemand):
        if demand.id in demands:
            raise InputError(f"{where}: the table {demand.id} has a demand already.")
        if demand.demand and not any(one.decision == ACCEPT for one in demand.verdicts[-1:]):
            raise InputError(f"{where}: the last verdict on a demand must be {ACCEPT}.")
        demands[demand.id] = demand
    return demands


def titles_of(table: GoldTable, gold: GoldTables) -> list[str]:
    """Titles of a table's works, in their order."""
    return [gold.works[paper].title for paper in table.papers]


def choose_demands(
    gold: GoldTables, options: TablesOptions
) -> tuple[dict[str, tuple[str, Source]], list[Exclusion]]:
    """The demand for each table and its source, by id, and the exclusions of tables without one.

    Raises:
        InputError: A file is missing, is not asked for, or cannot be read.
    """
    if options.demands == "model" and options.demands_file is None:
        raise InputError(
            'demands = "model" needs [tables] demands_file = "FILE"; viva round demands makes one.'
        )
    if options.demands == "template" and options.demands_file is not None:
        raise InputError('[tables] demands_file is read with demands = "model" alone.')
    written = read_demands(Path(options.demands_file)) if options.demands_file else None
    demands: dict[str, tuple[str, Source]] = {}
    worded: dict[tuple[str, str], str] = {}
    excluded: list[Exclusion] = []
    for table in gold.tables:
        found = _demand(table, gold, written)
        if not isinstance(found, Exclusion) and found[1] == "template":
            first = worded.setdefault((table.source_paper, found[0]), table.id)
            if first != table.id:
                found = Exclusion(TASK, table.id, "no_demand", f"{first} has the same words")
        if isinstance(found, Exclusion):
            excluded.append(found)
        else:
            demands[table.id] = found
    return demands, excluded


def _demand(
    table: GoldTable, gold: GoldTables, written: Mapping[str, WrittenDemand] | None
) -> tuple[str, Source] | Exclusion:
    """A table's demand and its source, or why it has none."""
    titles = titles_of(table, gold)
    given = gold.given.get(table.id)
    if given is not None and given.demand:
        return given.demand, "given"
    if written is None:
        if text := template_demand(table, titles):
            return text, "template"
        return Exclusion(TASK, table.id, "no_demand", "no topic is left that gives nothing away")
    found = written.get(table.id)
    if found is None or found.demand is None:
        reason = found.reason if found else "the file of demands does not have it"
        return Exclusion(TASK, table.id, "no_demand", reason)
    if failed := failures(check_demand(found.demand, table, titles)):
        return Exclusion(TASK, table.id, "unfit_demand", failed)
    return found.demand, "model"
