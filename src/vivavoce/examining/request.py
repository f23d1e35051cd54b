"""Questions that an exam answers, and the record of finished steps in its folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from vivavoce import __version__
from vivavoce.corpus.ingestion.imports import File
from vivavoce.errors import InputError
from vivavoce.running.spec import Price
from vivavoce.store import Row, hash_file, hash_of, read_sealed, write_sealed

ARXIV = "arxiv:"
"""Start of PAPERS that name a query to arXiv instead of files."""
STATE = "exam.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Request of an exam: papers, models, tasks and budget."""

    papers: str
    """A folder, a file, or `arxiv:QUERY`."""
    models: tuple[str, ...]
    out: Path
    tasks: tuple[str, ...] = ()
    """Short names; empty for all that the papers can carry."""
    judge: str | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    budget: float | None = None
    since: date | None = None
    until: date | None = None
    """First day that is too late."""
    most: int | None = None
    """The most papers that a query brings."""

    @property
    def query(self) -> str | None:
        """The query to arXiv; None where the papers are files."""
        return self.papers[len(ARXIV) :] if self.papers.startswith(ARXIV) else None

    @property
    def corpus(self) -> Path:
        """Folder of the corpus."""
        return self.out / "corpus"

    @property
    def round(self) -> Path:
        """Folder of the round."""
        return self.out / "rounds" / "exam"

    @property
    def logs(self) -> Path:
        """Folder of the logs, of which every set of models has one."""
        return self.out / "logs" / hash_of([self.models, self.judge])[:8]

    @property
    def site(self) -> Path:
        """Folder of the site."""
        return self.out / "site"

    @property
    def key(self) -> str:
        """Hash of everything but the papers that a verdict depends on."""
        prices = {name: [price.input, price.output] for name, price in self.prices.items()}
        return hash_of([__version__, self.models, self.tasks, self.judge, prices])


def check_request(request: Request) -> None:
    """Raise `InputError` for options that do not fit each other."""
    if request.budget is not None and not request.budget > 0:
        raise InputError(f"A budget of {request.budget:g} dollars buys nothing. Give one above 0.")
    if request.most is not None and (request.query is None or request.most < 1):
        raise InputError("--max belongs to arxiv:QUERY, and is at least 1.")
    if request.since and request.until and request.since >= request.until:
        raise InputError(f"--since {request.since} must lie before --until {request.until}.")
    if request.query is not None and not request.query.strip():
        raise InputError('arxiv: has no query. Write one, such as arxiv:"cat:cs.CL".')
    if request.budget is not None:
        asked = [*request.models, *([request.judge] if request.judge else [])]
        if unknown := [name for name in asked if name not in request.prices]:
            raise InputError(
                f"Nobody can hold {unknown[0]} to a budget without its price. Give it: "
                f"--price {unknown[0]}=IN,OUT, in dollars for a million tokens."
            )


class State:
    """Record of the exams of some papers, kept in their folder."""

    def __init__(self, request: Request, files: Mapping[str, Sequence[File]]) -> None:
        """Open the record; that of other papers is replaced unless models were asked about them.

        Raises:
            InputError: The folder holds answers about other papers, or something else.
            DamagedError: The record is damaged.
        """
        self._request, self._path = request, request.out / STATE
        about = _about(request, files)
        if self._path.exists():
            self._record = read_sealed(self._path, "Remove the folder, or name another --out.")
            self.is_new = self._record.get("about") != about
        elif any(path.exists() for path in (request.corpus, request.logs.parent, request.site)):
            raise InputError(f"{request.out} holds no exam but other files. Name another --out.")
        else:
            self.is_new = True
        if self.is_new:
            if self._path.exists() and self._record.get("agreed"):
                raise InputError(
                    f"{request.out} holds an exam of other papers, which models were asked about. "
                    "Name another --out."
                )
            self._record = {"about": about, "agreed": [], "done": {}, "shown": None}

    @property
    def is_agreed(self) -> bool:
        """True if somebody agreed to the plan before."""
        return self._request.key in self._record["agreed"]

    def agree(self) -> None:
        """Note that the models may be asked from now on."""
        if not self.is_agreed:
            self._record["agreed"].append(self._request.key)
            self.write()

    def report(self) -> Row | None:
        """The report of an exam that is done and that the site shows; None for any other."""
        is_shown = self._record["shown"] == self._request.key and self._request.site.is_dir()
        found: Row | None = self._record["done"].get(self._request.key) if is_shown else None
        return found

    def finish(self, report: Mapping[str, Any]) -> None:
        """Keep a report, which the site shows."""
        self._record["done"][self._request.key] = dict(report)
        self._record["shown"] = self._request.key
        self.write()

    def write(self) -> None:
        """Write the record to the disk."""
        write_sealed(self._path, self._record)


def _about(request: Request, files: Mapping[str, Sequence[File]]) -> Row:
    """The papers of an exam: contents of files, or a query."""
    dates = [str(day) if day else None for day in (request.since, request.until)]
    found = [pair for each in files.values() for pair in each]
    return {
        "dates": dates,
        "most": request.most,
        "query": request.query,
        "files": {name: hash_file(path) for name, path in found},
    }
