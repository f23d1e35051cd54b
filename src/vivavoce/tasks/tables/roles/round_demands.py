"""Demands by a model for the tables that a round spec asks for."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vivavoce.corpus import load_corpus
from vivavoce.errors import InputError, VivaError
from vivavoce.rounds import read_spec
from vivavoce.store import Row
from vivavoce.tasks.prompting.prompts import load_prompts
from vivavoce.tasks.tables import build
from vivavoce.tasks.tables.asking import titles_of
from vivavoce.tasks.tables.demands.making import WrittenDemand
from vivavoce.tasks.tables.items import FAMILY
from vivavoce.tasks.tables.roles.demand_writing import Wish, open_writers, write_demands

Progress = Callable[[int, int], None]
PROMPTS = Path(build.__file__).with_name("prompts")


@dataclass(frozen=True, slots=True)
class RoundDemands:
    """What `viva demand write` shows."""

    path: Path
    demands: tuple[WrittenDemand, ...]
    """One for each table that came without a demand, in the order of the tables."""
    given: int
    """Tables that came with a demand: it is taken as it is."""

    @property
    def written(self) -> int:
        """Tables that have a demand now."""
        return sum(one.demand is not None for one in self.demands)

    def by_attempt(self) -> dict[int, int]:
        """Accepted demands by the number of the wording that was accepted."""
        found = Counter(one.attempts for one in self.demands if one.demand is not None)
        return {attempt: found[attempt] for attempt in sorted(found)}

    def as_dict(self) -> Row:
        """The counts, and what was said last of the tables that go without, as JSON values."""
        return {
            "path": str(self.path),
            "tables": len(self.demands) + self.given,
            "given": self.given,
            "written": self.written,
            "attempts": {str(attempt): count for attempt, count in self.by_attempt().items()},
            "discarded": [
                {"id": one.id, "reason": one.reason} for one in self.demands if one.demand is None
            ],
        }


def write_round_demands(
    corpus: Path,
    spec: Path,
    out: Path,
    writer: str,
    *,
    checker: str | None = None,
    prompts: Path | None = None,
    progress: Progress | None = None,
) -> RoundDemands:
    """Write the demands for the tables of a spec into a file, or go on with a file begun before.

    Args:
        corpus: The corpus' folder.
        spec: The round spec; its window and its table `[tables]` say which tables there are.
        out: The file.
        writer: The model that writes.
        checker: The model that looks wordings through; the writer unless told otherwise.
        prompts: A folder of templates to use instead of the shipped ones.
        progress: Called with demands written now and all that were wanting.

    Raises:
        InputError: The spec, the corpus, the file or a model's window cannot be used.
        VivaError: There is no table.
    """
    parsed = read_spec(spec, _all_options())
    options = parsed.families.get(FAMILY)
    if options is None:
        raise InputError(f'{spec}: [round] families lacks "{FAMILY}", so it asks for no table.')
    gold = build.read_gold(load_corpus(corpus), parsed.window, options)
    if not gold.tables:
        reasons = Counter(one.reason for one in gold.excluded)
        found = ", ".join(f"{reason} {reasons[reason]}" for reason in sorted(reasons)) or "none"
        raise VivaError(f"{corpus} has no table that {spec} asks for. Left out: {found}.")
    has_own = {table for table, given in gold.given.items() if given.demand}
    wishes = [
        Wish(table, tuple(titles_of(table, gold)))
        for table in gold.tables
        if table.id not in has_own
    ]
    done = 0

    def count(_: WrittenDemand) -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, len(wishes))

    async def write() -> list[WrittenDemand]:
        async with open_writers(load_prompts(prompts or PROMPTS), writer, checker) as writers:
            return await write_demands(out, wishes, writers, count)

    return RoundDemands(out, tuple(asyncio.run(write())), len(gold.tables) - len(wishes))


def _all_options() -> dict[str, type]:
    from vivavoce.tasks import builders

    return {family: builder.OPTIONS for family, builder in builders().items()}
