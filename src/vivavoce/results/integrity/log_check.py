"""Findings about one log, and the rounds that it may be of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog

from vivavoce.errors import VivaError
from vivavoce.results.logs.records import NOT_RECOMPUTED, RECOMPUTED
from vivavoce.rounds import Round, load_round
from vivavoce.store import SHORT_HASH, Row

REFUSED = "refused"
_LONGEST_PATH = 1024


@dataclass(slots=True)
class LogCheck:
    """Findings on one log."""

    name: str
    """Its path below the folder."""
    path: str = ""
    samples: int = 0
    round: Row = field(default_factory=dict)
    """The round it was held against: `id`, `sha256`, `folder`, and whether the receiver `named` it.
    """
    refused: list[str] = field(default_factory=list)
    """Contradictions, each with its sample where it is in one."""
    unknown: list[str] = field(default_factory=list)
    """Reasons why it cannot be recomputed; empty when it can."""
    lacking: str = ""
    """Answers that it does not have, in words."""
    continued_by: str = ""
    """The recomputed log of the same run that has all answers, those of this one among them."""

    @property
    def status(self) -> str:
        """`recomputed`, `refused` or `not_recomputed`."""
        return REFUSED if self.refused else NOT_RECOMPUTED if self.unknown else RECOMPUTED

    @property
    def trust(self) -> Row:
        """Trust of its rows on a board: `trust`, the `reason`, and whether it makes rows at all."""
        reasons = [*self.refused, *self.unknown]
        return {
            "trust": NOT_RECOMPUTED if reasons else RECOMPUTED,
            "reason": reasons[0] if reasons else None,
            "refused": bool(self.refused),
        }

    def as_dict(self) -> Row:
        """As plain JSON values."""
        return {
            "log": self.name,
            "path": self.path,
            "status": self.status,
            "trust": self.trust["trust"],
            "reasons": [*self.refused, *self.unknown],
            "samples": self.samples,
            "round": self.round or None,
            "continued_by": self.continued_by or None,
        }


class Rounds:
    """Rounds that a receiver names or, where none is named, those that the logs lead to."""

    def __init__(self, named: Sequence[Path], untrusted: Path) -> None:
        """Open the named ones.

        With a named one no other counts, and none that came with the logs, in `untrusted`.

        Raises:
            InputError: One cannot be opened.
        """
        opened = [load_round(folder) for folder in named]
        self._named = {found.sha256: found for found in opened}
        self._untrusted = untrusted.resolve()

    def find(self, header: EvalLog, check: LogCheck) -> Round | None:
        """The round of a log; None, with the reason in its check, where there is none."""
        facts = header.eval.metadata or {}
        sha256, name = str(facts.get("round_sha256")), str(facts.get("round"))
        found = self._named.get(sha256)
        if found is None and any(each.id == name for each in self._named.values()):
            check.refused.append(
                f"its round {name} ({sha256[:SHORT_HASH]}) is not the one named, which has another "
                "hash."
            )
            return None
        found = found or (None if self._named else self._where_it_was(header))
        if found is None or found.sha256 != sha256:
            check.unknown.append(
                f"its round {name} ({sha256[:12]}) is not here: name its folder with --round."
            )
            return None
        folder, is_named = str(found.folder), bool(self._named)
        check.round = {"id": found.id, "sha256": sha256, "folder": folder, "named": is_named}
        return found

    def brought(self, header: EvalLog) -> Iterator[str]:
        """Files that came with a log and that its task would use, templates for instance."""
        steps = [step.params or {} for step in header.plan.steps]
        given = {n: v for n, v in header.eval.task_args.items() if n != "round"}
        for text in filter(None, _texts([*steps, given])):
            named = Path(text[:_LONGEST_PATH]).resolve()
            if named.exists() and named.is_relative_to(self._untrusted):
                yield text

    def _where_it_was(self, header: EvalLog) -> Round | None:
        """The round where the log says that it was, unless it came with the log."""
        folder = Path(str(header.eval.task_args.get("round") or "-")).resolve()
        if folder.is_relative_to(self._untrusted):
            return None
        try:
            return load_round(folder)
        except VivaError:
            return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from _texts(member)
    elif isinstance(value, str):
        yield value
