"""The iterative method: digests of the papers, and a table that grows batch by batch.

Each paper's text is read once and digested for the demand. In each round, the papers are put into
new batches; for each batch a model sees the table so far and the digests, and answers with changes.
At the end, each row is checked against the paper's text, and unsupported values become N/A. An
unreadable answer is requested once more and then ignored, so there is always a table. With a small
window, texts are cut, and only the relevant part of the table is shown.

Source: arXiv2Table §5.2, whose defaults are batches of 4 in 5 rounds. Three things save tokens
    here: very long texts are digested only in passages found by the demand, rows are checked
    against passages found by their values, and a round without changes ends the work.
"""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from vivavoce.checking import check_numbers
from vivavoce.retrieval.sparse import Bm25Retriever
from vivavoce.store import hash_of
from vivavoce.tasks.prompting.fitting import Group
from vivavoce.tasks.prompting.windows import TokenCounter
from vivavoce.tasks.tables.item import PoolText
from vivavoce.tasks.tables.replies import Digest, Operations, Unsupported, apply_operations
from vivavoce.tasks.tables.steps import TableRun, check_common
from vivavoce.tasks.tables.working_table import MAX_VALUE, TableFault, WorkingTable
from vivavoce.text.chunk import split_text

DIGEST_TOKENS = 400
"""Maximum tokens of a digest; the prompt asks for about half of it."""
READING, EVIDENCE = 8000, 1500
"""Tokens of a paper for its digest, and for the check of its row, from the source's total."""
_MAX_CELLS = (MAX_VALUE, 80, 24)
"""Limits on the characters of a displayed cell, tried in order until the table fits."""
_PASSAGE = 200
_FEW, _ALL = 3, 10_000
"""Maximum passages found by a value of a row, and by the demand."""
_GAP = "\n…\n"
_SLACK = 16
"""Tokens reserved around a text in its prompt."""
_MAX_READ = 2_000_000
"""Maximum characters of a text that are searched."""
_TEMPLATES = {
    "iterative.digest": ("paper",),
    "iterative.batch": ("table", "digests"),
    "iterative.check": ("paper", "row"),
}


@solver
def iterative(
    batch: int = 4,
    rounds: int = 5,
    cot: bool = False,
    seed: int = 0,
    context: int | None = None,
) -> Solver:
    """Digest each paper, let batches of them change the table in rounds, then check every cell.

    Args:
        batch: Papers per batch.
        rounds: Maximum rounds.
        cot: Ask for reasoning before each answer.
        seed: Seed of the batches, with the sample's id and the epoch.
        context: Window in tokens; by default what the provider or the model table says.
    """
    check_common(context, cot=cot)
    check_numbers(
        {
            "batch": (batch, 1, 100),
            "rounds": (rounds, 1, 100),
            "seed": (seed, 0, 2**63),
        }
    )

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        run = TableRun(state, context, cot=cot, templates=_TEMPLATES)
        run.record |= {"rounds": 0, "checked": 0, "unsupported": 0}
        texts = await collect(*(_digest(run, paper) for paper in run.papers))
        digests = dict(zip(run.labels, texts, strict=True))
        table = WorkingTable(run.labels)
        for number in range(1, rounds + 1):
            run.record["rounds"] = number
            key = [seed, str(state.sample_id), state.epoch, number]
            shown = [await _show(run, table, one, digests) for one in batches(run, batch, key)]
            if not any(shown):
                break
        await collect(*(_check(run, table, paper) for paper in run.papers))
        return run.finish(table)

    return solve


def batches(run: TableRun, size: int, key: Sequence[object]) -> Iterator[list[PoolText]]:
    """The pool in random batches, the same for the same key."""
    order = list(run.papers)
    random.Random(hash_of(list(key))).shuffle(order)
    for start in range(0, len(order), size):
        yield order[start : start + size]


async def _digest(run: TableRun, paper: PoolText) -> str:
    """Digest a paper; without a text or a digest, its abstract is used."""
    digest = None
    if paper.text:
        queries = [f"{run.demand} {paper.title}"]
        shown = _excerpt(run, "iterative.digest", {}, paper, queries, _ALL, READING)
        digest = await run.ask_about(shown, "iterative.digest", {}, Digest.read)
        run.record["digests"] += digest is not None
    text = digest.digest if digest else paper.abstract or paper.text
    return text[: run.counter.end_of(text, DIGEST_TOKENS)]


async def _show(
    run: TableRun, table: WorkingTable, batch: list[PoolText], digests: dict[str, str]
) -> bool:
    """Show the table and a batch, and apply the model's changes; return whether there were any.

    As much of the table is shown as fits: first rows of other papers are removed, then long cells
    are cut, then all rows are removed. If the digests still do not fit, the batch is split in half.
    """
    labels = [paper.label for paper in batch]
    entries = [(one.label, {"title": one.title, "digest": digests[one.label]}) for one in batch]
    listing = run.listing("digest", entries)
    own = tuple(label for label in table.papers if label in labels)
    views = [(table.papers, MAX_VALUE), *((own, most) for most in _MAX_CELLS), ((), MAX_VALUE)]
    for seen, longest in views:
        slots = {"table": table.markdown(seen, longest)}
        prompt = run.prompt("iterative.batch", slots, {"digests": listing})
        if run.fits(prompt):
            break
    if not run.fits(prompt) and len(batch) > 1:
        half = len(batch) // 2
        first = await _show(run, table, batch[:half], digests)
        return await _show(run, table, batch[half:], digests) or first
    cuts: list[Group] = [tuple(f"digest {label}" for label in labels), "table"]
    operations = await run.ask(prompt, cuts, Operations.read)
    if operations is None:
        return True  # the batch might have changed something
    changed, faults = apply_operations(operations, table, {*labels, *seen})
    run.note_faults(faults)
    return changed


async def _check(run: TableRun, table: WorkingTable, paper: PoolText) -> None:
    """Set values of a row to N/A if its paper does not support them."""
    cells = table.cells(paper.label)
    if not cells:
        return
    queries = [f"{column} {value}" for column, value in cells.items()]
    row = {"row": json.dumps(cells, ensure_ascii=False, indent=0)}
    shown = _excerpt(run, "iterative.check", row, paper, queries, _FEW, EVIDENCE)
    reply = await run.ask_about(shown, "iterative.check", row, Unsupported.read, ["row"])
    if reply is None:
        return
    run.record["checked"] += len(cells)
    for column in reply.unsupported:
        try:
            run.record["unsupported"] += table.set_cell(paper.label, column, None)
        except TableFault as fault:
            run.note_faults([str(fault)])


def _excerpt(
    run: TableRun,
    name: str,
    slots: Mapping[str, str],
    paper: PoolText,
    queries: Sequence[str],
    each: int,
    most: int,
) -> PoolText:
    """A paper with its whole text, or with passages found by queries if it is long."""
    bare = run.prompt(name, slots, {"paper": run.paper_listing([paper], texts=False)})
    room = run.room_beside(bare)
    tokens = most if room is None else max(0, min(most, room - _SLACK))
    text = paper.text[:_MAX_READ]
    if run.counter.count(text) > tokens:
        text = passages(text, queries, each, tokens, run.counter)
    return replace(paper, text=text)


def passages(
    text: str, queries: Sequence[str], each: int, tokens: int, counter: TokenCounter
) -> str:
    """The best passages of a text for queries, in the order of the text.

    The best passage of every query takes precedence over second best ones; remaining room is filled
    from the beginning of the text.
    """
    chunks = split_text(text, _PASSAGE, 0, counter)
    searched = Bm25Retriever(chunk.text for chunk in chunks).search_many(queries, each)
    deepest = max((len(hits) for hits in searched), default=0)
    ranked = [hits[rank].index for rank in range(deepest) for hits in searched if rank < len(hits)]
    kept: set[int] = set()
    for index in dict.fromkeys([*ranked, *range(len(chunks))]):
        size = counter.count(chunks[index].text + _GAP)
        if size > tokens:
            break
        kept.add(index)
        tokens -= size
    joined = _GAP.join(chunks[index].text for index in sorted(kept))
    return joined or text[: counter.end_of(text, tokens)]
