"""Demands for tables: given with the table, from a file, or from a template.

A template's demand asks for a table in one sentence, with the field from the survey's title and a
noun phrase of the caption. If neither is usable, or an earlier table of the survey has the same
words, a model must write the table's demand. Demands are checked: self-contained, goal-oriented,
concise, not leaking. A demand from a file that fails makes no item; one that came with the table is
used unchanged.

Source: arXiv2Table, section 4.1 and Table 13. The checks look at words only. They find obvious
    faults and do not replace spot checks by people.
"""

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
    names_in,
    stems_of,
    telling_words,
)
from vivavoce.tasks.tables.gold import GoldTables
from vivavoce.tasks.tables.grid import without_number
from vivavoce.tasks.tables.item import TASK, GoldTable, TablesOptions
from vivavoce.text import read_data
from vivavoce.text.cell_text import plain_words
from vivavoce.text.sentences import split_sentences

Source = Literal["template", "model", "given"]
"""Origin of a demand: a template, a model, or the table's file."""

ACCEPT, REWRITE = "ACCEPT", "REWRITE"
CHECKS = ("self_contained", "goal_oriented", "concise", "non_leaking")
MAX_SENTENCES = 2
MAX_WORDS = 90
MAX_ITEMS = 6
"""Maximum items of an enumeration; longer ones read like lists of columns."""
_MAX_REASONS = 8
_MAX_CAPTION = 600
_MAX_TITLE = 300
_MAX_FIELD, _MAX_TOPIC, _MIN_TOPIC = 12, 8, 2
"""Limits on the words of a field, and of a phrase in the caption."""

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
"""Introductory words such as `Summary of`, `A comparison between`."""
_BREAK = re.compile(r"[.:;,!?–—]|\s-\s|\b(?:based on|by|with|using|that|which|are|is|was|were)\b")
"""End of the subject: punctuation, or words on how the works are compared."""
_TITLE_PARTS = re.compile(r"[:?!]\s|\s[–—-]\s")
_LATIN_END = "\u0400"
"""The first letter after Latin and Greek: a demand is English."""
_JOINING = frozenset({"and", "or", "to"})
"""Words that make a neighbouring phrase part of something else."""
_WORD = re.compile(r"[^\W_]+(?:[-‐‑'’][^\W_]+)*")


def check_demand(
    demand: str, table: GoldTable, titles: Sequence[str], index: LeakIndex | None = None
) -> dict[str, str]:
    """Check a demand; return a reason per point of the checklist, empty if passed."""
    stems = set(stems_of(telling_words(demand)))
    goal = "" if stems & _stems(_AIMS) else "It does not say what the table is for."
    if not stems & _stems(_ASKING):
        goal = "It does not ask for a table, an overview or a comparison."
    reasons = (
        _not_self_contained(demand, stems, (table.caption, *titles)),
        goal,
        _not_concise(demand),
        _leaking(demand, index or LeakIndex(table, titles)),
    )
    return dict(zip(CHECKS, reasons, strict=True))


def failures(checks: Mapping[str, str]) -> str:
    """Reasons of failed points in one line; empty if all passed."""
    return " ".join(filter(None, checks.values()))


def _not_self_contained(demand: str, stems: set[str], texts: Iterable[str]) -> str:
    if pointing := _POINTING.search(demand):
        return f"It points to something that a reader does not have: '{pointing[0]}'."
    known = {stem for text in texts for stem in stems_of(telling_words(text))}
    subject = (stems - _stems(_ASKING) - _stems(_AIMS)) & known
    return "" if subject else "It does not say what the papers are about."


@cache
def _stems(words: tuple[str, ...]) -> frozenset[str]:
    """Computed on first use, since the stemmer takes seconds to import."""
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
    """A demand by a template; None if no topic is left."""
    index = LeakIndex(table, titles)
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
    """The field in the title of a survey: `Parsers: a survey`, `A survey of parsers`.

    Words after `survey of` take precedence over the rest of the title.
    """
    named: list[list[str]] = []
    for part in _TITLE_PARTS.split(plain_words(title[:_MAX_TITLE])):
        words = _WORD.findall(part)
        stems = stems_of(words)
        survey = next((n for n, stem in enumerate(stems) if stem in _stems(_ASKING)), len(words))
        behind = words[survey + 1 :]
        if len(behind) > 1 and not is_telling(behind[0]):
            named.insert(0, behind[1:])
        else:
            named.append(words[:survey])
    for words in named:
        while words and not is_telling(words[-1]):
            words = words[:-1]
        # One name alone is a system that the paper presents.
        is_name = len(words) == 1 and bool(names_in(words[0]))
        is_english = all(letter < _LATIN_END for letter in "".join(words))
        is_short = 0 < len(words) <= _MAX_FIELD
        if is_short and is_english and not is_name and (phrase := _clean_phrase(words, index)):
            return phrase
    return ""


def _caption_topic(caption: str, known: Collection[str], index: LeakIndex) -> str:
    """Longest noun phrase without leaks in the first clause of a caption.

    Words that introduce the subject are left out, as in `Summary of parsers`. A caption without
    them may be a sentence, so every word of its phrase must be in a title. A phrase has no `to`, is
    not part of an enumeration, and ends in no verb.
    """
    text = _ASIDE.sub(" ", without_number(plain_words(caption[:_MAX_CAPTION])))
    clause = next(filter(str.strip, _BREAK.split(text)), "").strip()
    subject = _LEAD_IN.sub("", clause)
    words = _WORD.findall(subject)
    enough = any if subject != clause else all
    ends = [n for n in range(len(words) + 1) if n == len(words) or not is_telling(words[n])]
    around = ["", *(word.lower() for word in words), ""]
    runs = [
        words[start:end]
        for start in (0, *(end + 1 for end in ends))
        for end in ends
        if 0 < end - start <= _MAX_TOPIC and _JOINING.isdisjoint((around[start], around[end + 1]))
    ]
    sound = (
        run for run in sorted(runs, key=len, reverse=True) if _is_noun_phrase(run, known, enough)
    )
    return next(filter(None, (_clean_phrase(run, index) for run in sound)), "")


def _is_noun_phrase(
    words: Sequence[str], known: Collection[str], enough: Callable[[Iterable[bool]], bool]
) -> bool:
    """True if words can be a noun phrase; any or all of their stems (`enough`) must be known."""
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
    """Join words to a phrase; empty if it leaks, or begins or ends with a stop word."""
    phrase = " ".join(words)
    if not is_telling(words[0]) or not is_telling(words[-1]) or index.leaks(phrase):
        return ""
    # Title case: only names keep their capitals.
    return " ".join(word if names_in(word) else word.lower() for word in words)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on a wording."""

    attempt: Ordinal
    demand: str
    check: str
    """`checklist`, `model`, or `answer` if the model gave no wording."""
    decision: Annotated[str, Field(pattern=f"^({ACCEPT}|{REWRITE})$")]
    reason: str


@dataclass(frozen=True, slots=True)
class WrittenDemand:
    """A row of a file of demands."""

    id: Name
    demand: Annotated[str, Field(max_length=MAX_DEMAND, pattern=r"\S")] | None
    """Demand; None if every attempt failed, with the reason in the last verdict."""
    model: Name
    attempts: Ordinal
    verdicts: tuple[Verdict, ...]

    @property
    def reason(self) -> str:
        """Reason of the last verdict."""
        return self.verdicts[-1].reason if self.verdicts else ""


def read_demands(path: Path) -> dict[str, WrittenDemand]:
    """Read the demands of a file, by table; `InputError` names an invalid line.

    Rows are JSON objects {id, demand, model, attempts, verdicts: [{attempt, demand, check,
    decision, reason}]}; other keys are skipped.
    """
    demands: dict[str, WrittenDemand] = {}
    for where, demand in read_records(path, WrittenDemand):
        if demand.id in demands:
            raise InputError(f"{where}: the table {demand.id} already has a demand.")
        if demand.demand and not any(one.decision == ACCEPT for one in demand.verdicts[-1:]):
            raise InputError(f"{where}: the last verdict on a demand must be {ACCEPT}.")
        demands[demand.id] = demand
    return demands


def titles_of(table: GoldTable, gold: GoldTables) -> list[str]:
    """Titles of a table's works, in the works' order."""
    return [gold.works[paper].title for paper in table.papers]


def choose_demands(
    gold: GoldTables, options: TablesOptions
) -> tuple[dict[str, tuple[str, Source]], list[Exclusion]]:
    """Choose demands with their sources by table id; also return exclusions of tables without one.

    `InputError` if the file is missing, not used, or cannot be read.
    """
    if options.demands == "model" and options.demands_file is None:
        raise InputError(
            'demands = "model" needs [tables] demands_file = "FILE"; viva round demands makes one.'
        )
    if options.demands == "template" and options.demands_file is not None:
        raise InputError('[tables] demands_file is used only with demands = "model".')
    written = read_demands(Path(options.demands_file)) if options.demands_file else None
    demands: dict[str, tuple[str, Source]] = {}
    worded: dict[tuple[str, str], str] = {}
    excluded: list[Exclusion] = []
    for table in gold.tables:
        chosen = _demand(table, gold, written)
        if not isinstance(chosen, Exclusion) and chosen[1] == "template":
            first = worded.setdefault((table.source_paper, chosen[0]), table.id)
            if first != table.id:
                chosen = Exclusion(TASK, table.id, "no_demand", f"{first} has the same words")
        if isinstance(chosen, Exclusion):
            excluded.append(chosen)
        else:
            demands[table.id] = chosen
    return demands, excluded


def _demand(
    table: GoldTable, gold: GoldTables, written: Mapping[str, WrittenDemand] | None
) -> tuple[str, Source] | Exclusion:
    """A table's demand and its source, or the reason why it has none."""
    titles = titles_of(table, gold)
    given = gold.given.get(table.id)
    if given is not None and given.demand:
        return given.demand, "given"
    if written is None:
        if text := template_demand(table, titles):
            return text, "template"
        return Exclusion(TASK, table.id, "no_demand", "no topic is left that gives nothing away")
    proposed = written.get(table.id)
    if proposed is None or proposed.demand is None:
        reason = proposed.reason if proposed else "the file of demands does not have it"
        return Exclusion(TASK, table.id, "no_demand", reason)
    if failed := failures(check_demand(proposed.demand, table, titles)):
        return Exclusion(TASK, table.id, "unfit_demand", failed)
    return proposed.demand, "model"
