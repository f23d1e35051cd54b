"""Demands written by a model and checked before use.

Each wording is checked against the checklist, including our search for leaks. A model then answers
ACCEPT, or REWRITE with a new wording, which is checked next. After three wordings without an
ACCEPT, the table gets no demand.

Source: arXiv2Table, section 4.1 and appendix B.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from inspect_ai.model import GenerateConfig, Model, get_model

from vivavoce.corpus import load_corpus
from vivavoce.errors import InputError, VivaError
from vivavoce.rounds import read_spec
from vivavoce.store import Row, write_jsonl
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.methods.direct import run_in_batches
from vivavoce.tasks.prompting import PromptSet
from vivavoce.tasks.scoring.asking import Request, send
from vivavoce.tasks.tables import build
from vivavoce.tasks.tables.demand import (
    ACCEPT,
    REWRITE,
    Verdict,
    WrittenDemand,
    check_demand,
    failures,
    read_demands,
    titles_of,
)
from vivavoce.tasks.tables.demand_leaks import MAX_DEMAND, LeakIndex
from vivavoce.tasks.tables.item import FAMILY, GoldTable
from vivavoce.text.chunk import table_lines
from vivavoce.text.json_answer import find_json

WRITER, CHECKER = "writer", "checker"
"""Model roles."""
TEMPLATE, CHECK_TEMPLATE = "demand", "leak_check"
ATTEMPTS = 3
"""Maximum wordings per table."""
READINGS = 2
"""Maximum requests for a verdict; if the last cannot be read, it counts as REWRITE."""

_WRITING = GenerateConfig(temperature=0.8, max_tokens=1024)
_CHECKING = GenerateConfig(temperature=0.0, max_tokens=1024)
_CUT_ORDER = (("table", "titles"), "caption")
_MAX_REASON = 400
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("«", "»"))
_LABELS = ("user demand:", "demand:", "user request:", "request:")


Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class DemandRequest:
    """A table that needs a demand, with the titles of its works."""

    table: GoldTable
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Writers:
    """Writer and checker with their prompts."""

    writer: Model
    checker: Model
    prompts: PromptSet

    @property
    def name(self) -> str:
        """Name of the model in the rows of a file."""
        names = dict.fromkeys((str(self.writer), str(self.checker)))
        return " checked by ".join(names)


@asynccontextmanager
async def open_writers(
    prompts: PromptSet, writer: str, checker: str | None = None
) -> AsyncIterator[Writers]:
    """Open writer and checker, and close them at the end."""
    # A cached model would keep connections of an earlier event loop.
    async with (
        get_model(writer, role=WRITER, config=_WRITING, memoize=False) as writing,
        get_model(checker or writer, role=CHECKER, config=_CHECKING, memoize=False) as checking,
    ):
        yield Writers(writing, checking, prompts)


async def write_demands(
    path: Path,
    requests: Sequence[DemandRequest],
    writers: Writers,
    progress: Progress | None = None,
) -> list[WrittenDemand]:
    """Write demands into a file, in the order of the tables; an unfinished file is continued.

    The file is updated often, so that a stop loses only a few demands; `progress` gets the numbers
    of written demands and of tables without one before.

    Raises:
        InputError: The file cannot be read or holds demands that other models wrote, or a model's
            context window is too small.
        VivaError: A model failed; finished demands are in the file.
    """
    done = read_demands(path) if path.exists() else {}
    if strange := sorted({row.model for row in done.values()} - {writers.name}):
        raise InputError(
            f"{path} has demands by {strange[0]}, but these would be by {writers.name}. Choose "
            "another file."
        )
    waiting = [request for request in requests if request.table.id not in done]
    async for batch in run_in_batches(
        writers.name, waiting, lambda request: write_demand(request, writers), progress
    ):
        done |= {demand.id: demand for _, demand in batch}
        # Rows of requested tables in order, then other rows unchanged.
        asked = [request.table.id for request in requests if request.table.id in done]
        others = [table for table in done if table not in set(asked)]
        write_jsonl(path, [asdict(done[table]) for table in (*asked, *others)])
    return [done[request.table.id] for request in requests]


async def write_demand(request: DemandRequest, writers: Writers) -> WrittenDemand:
    """Write the demand for a table, or give up with the reasons."""
    index = LeakIndex(request.table, request.titles)
    verdicts: list[Verdict] = []
    proposed = ""
    for attempt in range(1, ATTEMPTS + 1):
        demand = proposed
        if not demand:  # stays empty for an unusable answer
            slots = _slots(request)
            if verdicts:
                slots |= {"previous": verdicts[-1].demand or "(none)", "fault": verdicts[-1].reason}
            answer = await _ask(writers.writer, writers.prompts, TEMPLATE, slots, attempt)
            demand = read_wording(answer)
        verdict, proposed = await _look_through(request, writers, index, attempt, demand)
        verdicts.append(verdict)
        if verdict.decision == ACCEPT:
            break
    accepted = verdicts[-1].demand if verdicts[-1].decision == ACCEPT else None
    return WrittenDemand(
        request.table.id, accepted, writers.name, verdicts[-1].attempt, tuple(verdicts)
    )


async def _look_through(
    request: DemandRequest, writers: Writers, index: LeakIndex, attempt: int, demand: str
) -> tuple[Verdict, str]:
    """Check a wording; return the verdict and a proposed wording."""
    if not demand:
        return Verdict(attempt, "", "answer", REWRITE, "The answer held no demand."), ""
    if failed := failures(check_demand(demand, request.table, request.titles, index)):
        return Verdict(attempt, demand, "checklist", REWRITE, failed), ""
    slots = _slots(request) | {"demand": demand}
    for reading in range(1, READINGS + 1):
        answer = await _ask(writers.checker, writers.prompts, CHECK_TEMPLATE, slots, reading)
        reply = find_json(answer, wanted=("decision",))
        decision = _text(reply, "decision").upper()
        if decision in (ACCEPT, REWRITE):
            reason = _text(reply, "reason")[:_MAX_REASON] or "No reason was given."
            proposed = "" if decision == ACCEPT else read_wording(_text(reply, "demand"))
            verdict = Verdict(attempt, demand, "model", decision, reason)
            return verdict, "" if proposed == demand else proposed
    return Verdict(attempt, demand, "model", REWRITE, "The verdict could not be read."), ""


async def _ask(
    model: Model, prompts: PromptSet, template: str, slots: Mapping[str, str], attempt: int
) -> str:
    request = Request(template, slots, cut=_CUT_ORDER)
    return (await send(model, prompts, request, attempt=attempt)).text


def read_wording(answer: str) -> str:
    """Read the demand in an answer, on one line and without quotes and labels.

    Empty if there is none, or it is too long.
    """
    text = answer.rpartition("</think>")[2].strip()
    decoded = find_json(text, wanted=("demand",)) if text.startswith(("{", "```")) else None
    text = " ".join((_text(decoded, "demand") if decoded is not None else text).split())
    text = text.replace("**", "").strip("`_# ")
    for label in _LABELS:
        if text.lower().startswith(label):
            text = text[len(label) :].strip()
    for first, last in _QUOTES:
        inside = text[1:-1]
        if len(text) > 1 and text[0] == first and text[-1] == last and first not in inside:
            text = inside.strip()
    return text if len(text) <= MAX_DEMAND else ""


def table_text(table: GoldTable) -> str:
    """A gold table with row labels, as shown to both models."""
    lines = [("", *table.columns)]
    lines += [(row.label, *(cell or "N/A" for cell in row.cells)) for row in table.rows]
    return "\n".join(table_lines("", lines))


def _slots(request: DemandRequest) -> dict[str, str]:
    return {
        "caption": request.table.caption or "(none)",
        "table": table_text(request.table),
        "titles": "\n".join(request.titles) or "(unknown)",
    }


def _text(parsed: object, key: str) -> str:
    value = parsed.get(key) if isinstance(parsed, dict) else None
    return value.strip() if isinstance(value, str) else ""


def write_round_demands(
    corpus: Path,
    spec: Path,
    out: Path,
    writer: str,
    *,
    checker: str | None = None,
    prompts: Path | None = None,
    progress: Progress | None = None,
) -> Row:
    """Write the demands for the tables of a round spec into a file, or continue an unfinished one.

    Wordings are checked by `checker`, by default the writer itself. Return counts, and the last
    verdicts on tables without a demand, as JSON values.

    Raises:
        InputError: The spec, the corpus or the file cannot be used, or a model's window is too
            small.
        VivaError: There are no tables.
    """
    from vivavoce.tasks import builders

    parsed = read_spec(spec, {name: builder.OPTIONS for name, builder in builders().items()})
    options = parsed.families.get(FAMILY)
    if options is None:
        raise InputError(
            f'{spec}: [round] families does not have "{FAMILY}", so there are no tables.'
        )
    gold, _ = build.settle_evidence(load_corpus(corpus), parsed.window, options)
    if not gold.tables:
        reasons = Counter(one.reason for one in gold.excluded)
        counts = ", ".join(f"{reason} {reasons[reason]}" for reason in sorted(reasons)) or "none"
        raise VivaError(f"{corpus} has no tables for {spec}. Left out: {counts}.")
    has_own = {table for table, given in gold.given.items() if given.demand}
    requests = [
        DemandRequest(table, tuple(titles_of(table, gold)))
        for table in gold.tables
        if table.id not in has_own
    ]

    async def write() -> list[WrittenDemand]:
        async with open_writers(
            open_prompts(FAMILY, str(prompts) if prompts else None), writer, checker
        ) as writers:
            return await write_demands(out, requests, writers, progress)

    demands = asyncio.run(write())
    # Accepted demands by number of the wording.
    attempts = Counter(one.attempts for one in demands if one.demand is not None)
    return {
        "path": str(out),
        "tables": len(gold.tables),
        "given": len(gold.tables) - len(requests),
        "written": attempts.total(),
        "attempts": {str(attempt): attempts[attempt] for attempt in sorted(attempts)},
        "discarded": [
            {"id": one.id, "reason": one.reason} for one in demands if one.demand is None
        ],
    }
