"""The demand for a table: the one that came with it, one of a file, or one from a template.

A template's demand says what the table is about and what it is wanted for, in one or two
sentences, and passes the checklist: it gives away nothing that `leaks` would find. Its wording is
one of a few, chosen by the table's id among those whose own words are none of the table's. A demand
that gives the table away, or is not one by the checklist, makes no item. One that came with the
table is taken as it is, and `TO_CHECK` has the findings of the checklist.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from vivavoce.checking import Name, Ordinal, read_records
from vivavoce.errors import InputError
from vivavoce.rounds.family import Exclusion
from vivavoce.store import Row, canonical_json, hash_of
from vivavoce.tasks.tables.items.demand_checklist import check_demand, failures
from vivavoce.tasks.tables.items.demand_leaks import (
    MAX_DEMAND,
    LeakIndex,
    is_telling,
    leak_index,
    names_in,
    stem_of,
    windows,
)
from vivavoce.tasks.tables.items.gold import GoldTables
from vivavoce.tasks.tables.items.pool import read_acceptance
from vivavoce.tasks.tables.items.table_items import TASK, DemandsFrom, GoldTable, TablesOptions
from vivavoce.text.cell_text import plain_words
from vivavoce.text.data import read_data, read_patterns
from vivavoce.text.normalise import normalise
from vivavoce.text.sentences import split_sentences

Stems = tuple[str, ...]

MAX_TOPICS = 3
_MAX_CAPTION = 600
_MAX_TITLE = 300
_MAX_TITLES = 200
_MAX_TOPIC = 8
"""Words of one topic."""
_MAX_SHARED = 4
"""Words of a topic that titles share."""

_PATTERNS = read_patterns(__file__, "demand_patterns.toml")
_NUMBER_OF_TABLE = _PATTERNS["number_of_table"]
_ASIDE = _PATTERNS["aside"]
_LEAD_IN = _PATTERNS["lead_in"]
_VAGUE = _PATTERNS["vague"]
# What follows says how the table compares, which is its schema.
_TURN = _PATTERNS["turn"]
_TITLE_BREAK = _PATTERNS["title_break"]
_WORD = re.compile(r"[^\W_]+(?:[-‐‑'’][^\W_]+)*")
_WORDS = read_data(__file__, "demand_words.toml")
_EMPTY = frozenset(_WORDS["empty"])
"""Stems that make no topic alone."""


def find_topics(caption: str, titles: Sequence[str], index: LeakIndex) -> list[str]:
    """Up to three phrases for the subject of a table, the caption's first; none may be left.

    None of them gives away a part of the table by itself, and each says something new. A phrase of
    several words comes before single ones, and one that titles share before one of a single title.
    """
    named, shared = list(_caption_phrases(caption, index)), _shared_phrases(titles, index)
    several = [phrase for phrase in (*named, *shared) if " " in phrase or "-" in phrase]
    single = [phrase for phrase in (*named, *shared) if phrase not in several]
    topics = _distinct(several, MAX_TOPICS) or _distinct(single, 2)
    if topics:
        return topics
    runs = [run for title in titles[:_MAX_TITLES] for run in _clean_runs(title, index)]
    return _distinct(sorted(runs, key=lambda run: -len(run.split())), 1)


def _distinct(phrases: Iterable[str], most: int) -> list[str]:
    topics: list[str] = []
    said: set[str] = set()
    for phrase in phrases:
        stems = _telling_stems(phrase)
        if len(topics) < most and stems - said:
            topics.append(phrase)
            said |= stems
    return topics


def _caption_phrases(caption: str, index: LeakIndex) -> Iterator[str]:
    """The subject of a caption's first sentence, cut where it turns to the comparison of works."""
    sentences = split_sentences(plain_words(caption[:_MAX_CAPTION]))
    text = sentences[0] if sentences else ""
    number = _NUMBER_OF_TABLE.match(text)
    if number and len(text) == number.end() and len(sentences) > 1:
        text, number = sentences[1], None
    text = _ASIDE.sub(" ", text[number.end() :] if number else text).strip()
    if lead_in := _LEAD_IN.match(text):
        text = text[lead_in.end() :]
    if vague := _VAGUE.match(text):
        text = text[vague.end() :]
    if turn := _TURN.search(text, 1):
        text = text[: turn.start()]
    runs = list(_clean_runs(text, index))
    yield from sorted(runs, key=lambda run: -len(run.split()))[:1]


def _clean_runs(text: str, index: LeakIndex) -> Iterator[str]:
    """Runs of words without a leak, without stop words at their ends."""
    run: list[str] = []
    for word in [*_WORD.findall(normalise("NFKC", text)), ""]:
        is_leak = bool(word) and bool(index.leaks(word))
        if word and not is_leak and not any(character.isdigit() for character in word):
            run.append(word)
            continue
        # What stands before a word that is left out may be half a phrase: `on natural [science]`.
        whole = _until_last_stop_word(run) if is_leak else run
        if phrase := _trimmed(whole[:_MAX_TOPIC], index):
            yield phrase
        run = []


def _until_last_stop_word(run: Sequence[str]) -> list[str]:
    stops = [place for place, word in enumerate(run) if not is_telling(word)]
    return list(run[: stops[-1]]) if stops and stops[-1] > 0 else list(run)


def _trimmed(run: Sequence[str], index: LeakIndex) -> str:
    """A run as a phrase; words go from its end until nothing leaks together."""
    words = list(run)
    while words:
        if not is_telling(words[0]):
            words.pop(0)
        elif not is_telling(words[-1]) or index.leaks(" ".join(words)):
            words.pop()
        else:
            # Titles are in capitals; only names keep theirs.
            return " ".join(word if names_in(word) else word.lower() for word in words)
    return ""


def _shared_phrases(titles: Sequence[str], index: LeakIndex) -> list[str]:
    """Phrases of two titles or more: those of the most titles first, then the longer ones."""
    counts: Counter[Stems] = Counter()
    printed: dict[Stems, str] = {}
    for title in titles[:_MAX_TITLES]:
        phrases = dict(_phrases(title, index))
        counts.update(phrases.keys())
        printed = {**phrases, **printed}
    shared = {stems: count for stems, count in counts.items() if count > 1}
    parts = {
        stems[start : start + length]: count
        for stems, count in sorted(shared.items(), key=lambda item: item[1])
        for length in range(1, len(stems))
        for start in range(len(stems) - length + 1)
    }
    # `large language` stands in the titles only as a part of `large language models`.
    whole = [stems for stems, count in shared.items() if 2 * parts.get(stems, 0) < count]
    order = sorted(whole, key=lambda stems: (-_weight(stems, shared[stems]), stems))
    return [printed[stems] for stems in order]


def _weight(stems: Stems, count: int) -> float:
    """A phrase of two words in two titles says more than one word in three."""
    telling = len([stem for stem in stems if stem not in _EMPTY])
    return (count - 0.9) * (0.0, 1.0, 2.8, 5.2, 5.2)[telling]


def _phrases(title: str, index: LeakIndex) -> Iterator[tuple[Stems, str]]:
    """(stems, phrase) of runs within a title."""
    text = _ASIDE.sub(" ", plain_words(title[:_MAX_TITLE]))
    if 2 * sum(map(str.isupper, text)) > sum(map(str.isalpha, text)):
        text = text.lower()  # set in capitals, which then mark no names
    for part in _TITLE_BREAK.split(text):
        for run in _clean_runs(part, index):
            for window in windows(run.split(), _MAX_SHARED):
                if is_telling(window[0]) and is_telling(window[-1]):
                    stems = tuple(stem_of(word) for word in window if is_telling(word))
                    yield stems, " ".join(window)


Source = Literal["template", "model", "given"]
"""Who worded a demand: a template, a model, or the file that the table is from."""

ACCEPT, REWRITE = "ACCEPT", "REWRITE"

WORDINGS = tuple(_WORDS["wordings"])


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
    """None where every attempt failed; the last verdict says why."""
    model: Name
    attempts: Ordinal
    verdicts: tuple[Verdict, ...]

    @property
    def reason(self) -> str:
        """Reason of the last verdict."""
        return self.verdicts[-1].reason if self.verdicts else ""


def template_demand(table: GoldTable, titles: Sequence[str]) -> str | None:
    """A demand worded without a model; None where no topic is left or no wording passes."""
    index = leak_index(table, titles)
    topics = find_topics(table.caption, titles, index)
    first = int(hash_of(table.id)[:8], 16)
    wordings = [WORDINGS[(first + step) % len(WORDINGS)] for step in range(len(WORDINGS))]
    # Every wording with the table's whole subject, then with less of it.
    for topic in _phrased(topics):
        for wording in wordings:
            demand: str = wording.format(topic=topic)
            if all(check.passed for check in check_demand(demand, table, titles, index)):
                return demand
    return None


def spot_check_row(table: GoldTable, demand: str, source: Source, titles: Sequence[str]) -> Row:
    """A row of `demands_to_check.jsonl`, for people who look demands through."""
    checks = check_demand(demand, table, titles)
    return {
        "id": table.id,
        "demand": demand,
        "source": source,
        "caption": table.caption,
        "columns": list(table.columns),
        "titles": list(titles),
        "checks": [asdict(check) for check in checks],
        "flagged": [check.name for check in checks if not check.passed],
    }


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


def _phrased(topics: Sequence[str]) -> Iterator[str]:
    """The first topic, if it says enough alone, or within the area of another; then the others."""
    if not topics:
        return
    first, *others = topics
    said = _telling_stems(first)
    if len(said) > 1:
        yield first
    for other in others:
        if not said <= _telling_stems(other):
            yield f"{first} in the area of {other}"
    yield first
    yield from others


def _telling_stems(phrase: str) -> set[str]:
    return {stem_of(word) for word in _WORD.findall(phrase) if is_telling(word)} - _EMPTY


TO_CHECK = "demands_to_check.jsonl"
"""Every demand with its table and what the checklist says, for people who look them through."""


@dataclass(frozen=True, slots=True)
class Demands:
    """The demands of a round."""

    demands: Mapping[str, Row]
    """By table id the row of `TO_CHECK`, with `demand` and `source`."""
    excluded: tuple[Exclusion, ...]
    """Tables without one."""

    def texts(self) -> dict[str, str]:
        """The demands alone, by table id."""
        return {table: row["demand"] for table, row in self.demands.items()}

    def report(self) -> Row:
        """Number of demands by source, and of those that the checklist flags."""
        rows = self.demands.values()
        sources = [row["source"] for row in rows]
        return {
            "sources": {source: sources.count(source) for source in sorted(set(sources))},
            "flagged": sum(bool(row["flagged"]) for row in rows),
        }

    def to_check(self) -> bytes:
        """The file `TO_CHECK`."""
        return "".join(f"{canonical_json(row)}\n" for row in self.demands.values()).encode()


def titles_of(table: GoldTable, gold: GoldTables) -> list[str]:
    """Titles of a table's works, in their order."""
    return [gold.works[paper].title for paper in table.papers]


def ask_for(gold: GoldTables, options: TablesOptions) -> Demands:
    """A demand for each table.

    Raises:
        InputError: A file is missing, is not asked for, or cannot be read.
    """
    written = _read_written(options.demands, options.demands_file)
    labels = options.demand_labels
    accepted = read_acceptance(Path(labels)) if labels is not None else {}
    demands: dict[str, Row] = {}
    excluded: list[Exclusion] = []
    for table in gold.tables:
        titles = titles_of(table, gold)
        demand = _demand(table, titles, gold, written)
        if isinstance(demand, Exclusion):
            excluded.append(demand)
        elif not accepted.get(table.id, True):
            excluded.append(Exclusion(TASK, table.id, "refused_demand", "people refused it"))
        else:
            demands[table.id] = spot_check_row(table, *demand, titles)
    return Demands(demands, tuple(excluded))


def _read_written(source: DemandsFrom, file: str | None) -> Mapping[str, WrittenDemand] | None:
    if source == "model" and file is None:
        raise InputError(
            'demands = "model" needs [tables] demands_file = "FILE"; viva round demands makes one.'
        )
    if source == "template" and file is not None:
        raise InputError('[tables] demands_file is read with demands = "model" alone.')
    return read_demands(Path(file)) if file is not None else None


def _demand(
    table: GoldTable,
    titles: Sequence[str],
    gold: GoldTables,
    written: Mapping[str, WrittenDemand] | None,
) -> tuple[str, Source] | Exclusion:
    """A table's demand and its source, or why it has none."""
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
