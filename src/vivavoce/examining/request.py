"""Request of an exam, the papers it uses and leaves out, and the record of finished steps."""

import csv
import io
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.corpus import Corpus, load_corpus
from vivavoce.corpus.fields import GATES
from vivavoce.corpus.ingestion.fetching import Service, fetch_texts
from vivavoce.corpus.ingestion.imports import File, files_below, ingest_files
from vivavoce.errors import InputError, VivaError
from vivavoce.records import Paper
from vivavoce.requests.run import ExamRequest, parse_price
from vivavoce.rounds import Round
from vivavoce.rounds.family import EVERY_TASK
from vivavoce.sources import list_sources
from vivavoce.sources.catalogues.arxiv import read_feed
from vivavoce.sources.catalogues.arxiv.search import dated, find_page
from vivavoce.store import Row, hash_file, hash_of, read_sealed, write_bytes, write_sealed
from vivavoce.text.printing import guard_formula
from vivavoce.version import __version__

ARXIV = "arxiv:"
"""Prefix of PAPERS for an arXiv query instead of files."""
STATE = "exam.json"
FORMAT = 3
"""Version of stored reports; raised when their fields change."""


@dataclass(frozen=True, kw_only=True)
class Request(ExamRequest):
    """Request of an exam, and paths of its files."""

    @property
    def query(self) -> str | None:
        """The query to arXiv; None if the papers are files."""
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
    def nuggets(self) -> Path:
        """File of the facts that the (first) judge extracts from gold sections."""
        writer = hash_of(self.judge[0])[:8] if self.judge else "nobody"
        return self.round.with_name(f"{self.round.name}.{writer}.nuggets.jsonl")

    @property
    def logs(self) -> Path:
        """Folder of the logs, one per set of models."""
        return self.out / "logs" / hash_of([self.models, self.judge])[:8]

    @property
    def site(self) -> Path:
        """Folder of the site."""
        return self.out / "site"

    @property
    def left_out(self) -> Path:
        """File with a table of the papers left out."""
        return self.out / "left-out.csv"

    @property
    def key(self) -> str:
        """Hash of everything that a verdict depends on, except the papers."""
        prices = {
            name: [price.input, price.output]
            for name, text in self.prices.items()
            for price in [parse_price(text)]
        }
        return hash_of([__version__, self.models, self.tasks, self.judge, prices])


def check_request(request: Request) -> None:
    """Raise `InputError` for options that contradict each other."""
    if request.budget is not None and not request.budget > 0:
        raise InputError(f"The budget is {request.budget:g} dollars. It must be above 0.")
    if request.max is not None and (request.query is None or request.max < 1):
        raise InputError("--max is for arxiv:QUERY only and must be at least 1.")
    if request.since and request.until and request.since >= request.until:
        raise InputError(f"--since {request.since} must be before --until {request.until}.")
    if request.query is not None and not request.query.strip():
        raise InputError('arxiv: has no query. Write one, such as arxiv:"cat:cs.CL".')
    if request.budget is not None:
        asked = [*request.models, *request.judge]
        if unknown := [name for name in asked if name not in request.prices]:
            raise InputError(
                f"A budget needs the price of {unknown[0]}. Give it: "
                f"--price {unknown[0]}=IN,OUT, in dollars for a million tokens."
            )


class State:
    """Record of the exams on one set of papers, stored in the output folder."""

    def __init__(self, request: Request, files: Mapping[str, Sequence[File]]) -> None:
        """Open the record; replace one on other papers, unless models were asked about those."""
        self._request, self._path = request, request.out / STATE
        dates = [str(day) if day else None for day in (request.since, request.until)]
        named_paths = [pair for each in files.values() for pair in each]
        about = {
            "dates": dates,
            "most": request.max,
            "query": request.query,
            "files": {name: hash_file(path) for name, path in named_paths},
        }
        if self._path.exists():
            self._record = read_sealed(self._path, "Remove the folder, or name another --out.")
            if self._record.get("format") != FORMAT:
                raise InputError(
                    f"{request.out} has an exam of another version of viva, which this version "
                    "cannot read. Choose another --out."
                )
            self.is_new = self._record.get("about") != about
        elif any(path.exists() for path in (request.corpus, request.logs.parent, request.site)):
            raise InputError(f"{request.out} has files that no exam wrote. Choose another --out.")
        else:
            self.is_new = True
        if self.is_new:
            if self._path.exists() and self._record.get("agreed"):
                raise InputError(
                    f"{request.out} has an exam of other papers, dates or --max. "
                    "Choose another --out."
                )
            empty: Row = {"about": about, "agreed": [], "done": {}, "shown": None}
            self._record = {"format": FORMAT, **empty}

    @property
    def is_agreed(self) -> bool:
        """True if the plan was confirmed before."""
        return self._request.key in self._record["agreed"]

    def agree(self) -> None:
        """Record that the plan was confirmed, so the models may be asked."""
        if not self.is_agreed:
            self._record["agreed"].append(self._request.key)
            self.write()

    def report(self) -> Row | None:
        """The report of a finished exam, if the site shows it; otherwise None."""
        is_shown = self._record["shown"] == self._request.key and self._request.site.is_dir()
        report: Row | None = self._record["done"].get(self._request.key) if is_shown else None
        return report

    def finish(self, report: Mapping[str, Any]) -> None:
        """Record a report that the site shows."""
        self._record["done"][self._request.key] = dict(report)
        self._record["shown"] = self._request.key
        self.write()

    def write(self) -> None:
        """Write the record to disk."""
        write_sealed(self._path, self._record)


Watch = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Opens a step by label and returns a function to call with (done, total)."""
GENERIC = "metadata"
"""The kind that reads any table; more specific kinds take precedence."""
_LISTED = "listed.atom.xml"
"""File with the listing that a query returned."""
_DEFAULT_PAPERS = 50
"""Default number of papers per query."""


def find_papers(request: Request) -> dict[str, list[File]]:
    """Find the files of PAPERS by kind; empty for a query.

    Kinds with full texts take precedence over listings, and the generic table comes last.
    """
    if request.query is not None:
        return {}
    sources = [source for source in list_sources().values() if source.reads_files]
    sources.sort(key=lambda source: (source.kind == GENERIC, source.is_metadata, source.kind))
    files_by_kind: dict[str, list[File]] = defaultdict(list)
    for name, path in files_below(Path(request.papers), request.out):
        if kind := next((source.kind for source in sources if source.matches(path)), None):
            files_by_kind[kind].append((name, path))
    if not files_by_kind:
        raise InputError(
            f"{request.papers} has no file of a supported kind. To list the kinds: viva list "
            "sources"
        )
    return files_by_kind


def read_papers(
    request: Request, files: Mapping[str, Sequence[File]], watch: Watch, service: Service
) -> Corpus:
    """Read the papers into the corpus, resuming after a kill."""
    if request.query is not None:
        _fetch(request, request.query, watch, service)
    else:
        with watch("Reading papers") as update:
            ingest_files(files, request.corpus, progress=update)
    corpus = load_corpus(request.corpus)
    if not corpus.papers:
        faults = list(corpus.rows("faults"))
        why = f"{faults[0]['where']}: {faults[0]['reason']}" if faults else "they hold no paper"
        raise InputError(f"None of the papers in {request.papers} can be read. {why}")
    if not any(paper.first_public for paper in corpus.papers):
        raise InputError(
            f"None of the {len(corpus.papers):,} papers has a date, so models may have read them "
            "in training. Add a table dates.csv with the columns file and published beside them."
        )
    return corpus


def _fetch(request: Request, query: str, watch: Watch, service: Service) -> None:
    """Fetch a listing, unless it is there, and then the texts of its papers."""
    client, listed = service.client, request.out / "feeds" / _LISTED
    if not listed.exists():
        query = dated(query, request.since, request.until)
        most = request.max or _DEFAULT_PAPERS
        with watch("Asking arXiv") as update:
            feed = find_page(client, query, most, sort="submittedDate", api=service.api)
            update(1, 1)
        if not read_feed(feed).entries:
            raise InputError(f"arXiv has no papers for {query}. Widen the query or its dates.")
        write_bytes(listed, feed)
    ingest_files({"arxiv": [(_LISTED, listed)]}, request.corpus)
    with watch("Fetching texts") as update:
        report = fetch_texts(request.corpus, client, addresses=service.addresses, progress=update)
    if report.stopped is not None:
        raise VivaError(
            f"{report.stopped} Everything received is kept. Run the same command again later."
        )


UNREADABLE = "unreadable"
NO_ITEM = "no_item", "none of these tasks has an item for it"
UNDATED, DOUBTFUL, OUTSIDE = "undated", "doubtful_", "outside_window"
SHOWN = 5
"""Papers listed on the terminal; the file lists all."""
_COLUMNS = ("file", "reason", "remedy")


def count_papers(
    corpus: Corpus,
    opened: Round,
    tasks: Sequence[str],
    files: Mapping[str, Sequence[File]],
) -> tuple[Row, list[Row]]:
    """Count the papers given and the papers used.

    Returns:
        The counts, and the papers left out, each with file, reason and remedy. After them come
        faulty rows of tables, which may explain missing dates.
    """
    known = {paper.paper_id for paper in corpus.papers}
    used: set[str] = set()
    for family, task in opened.tasks():
        if task in tasks:
            rows = opened.items(family, task)
            used |= {str(name) for row in rows for name in (row.get("paper_id"), row["cluster"])}
            used |= {str(name) for row in rows for name in row.get("papers") or ()}
    used &= known
    reasons: dict[str, tuple[str, str]] = {}
    for row in opened.leakage["excluded"]:
        if row["task"] in (EVERY_TASK, *tasks):
            reasons.setdefault(row["paper_id"], (row["reason"], row["detail"]))
    without = [
        (paper, *((paper.gates[0], "") if paper.gates else reasons.get(paper.paper_id, NO_ITEM)))
        for paper in corpus.papers
        if paper.paper_id not in used
    ]
    sources = list_sources()
    faults = list(corpus.rows("faults")) if files else []
    unread = [row for row in faults if not sources[row["source"]].holds_many]
    counts = Counter(reason for _, reason, _ in without)
    counts.update({UNREADABLE: len(unread)} if unread else {})
    papers = {
        "given": len(known) + len(unread),
        "used": len(used),
        "left_out": dict(sorted(counts.items())),
    }
    paths = {path.name: path for each in files.values() for _, path in each}
    rest = [row for row in faults if row not in unread]
    return papers, [
        *(_unread(row, paths) for row in unread),
        *(_left_out(*one) for one in without),
        *({"file": row["where"], "reason": row["reason"], "remedy": None} for row in rest),
    ]


def _unread(fault: Row, paths: Mapping[str, Path]) -> Row:
    path = shlex.quote(str(paths.get(fault["where"], fault["where"])))
    remedies = {
        "scan": f"ocrmypdf {path} {path}",
        "locked": f"qpdf --decrypt --replace-input --password=PASSWORD {path}",
    }
    return {
        "file": fault["where"],
        "reason": fault["reason"],
        "remedy": remedies.get(fault["kind"]),
    }


def _left_out(paper: Paper, reason: str, detail: str) -> Row:
    file = paper.source_file or paper.paper_id
    remedy = None
    if reason == OUTSIDE:
        remedy = "name an earlier --since or a later --until"
    elif reason.startswith(DOUBTFUL):
        detail = "; ".join(paper.health_reasons) or detail
        remedy = "give its LaTeX or HTML"
    elif paper.gates == (UNDATED,) and paper.source_file:
        row = io.StringIO()
        csv.writer(row, lineterminator="").writerow([file, "YYYY-MM-DD"])
        remedy = f"in dates.csv: {row.getvalue()}"
    sentence = GATES.get(reason, reason.replace("_", " "))
    if detail:
        sentence = f"{sentence}: {detail}"
    return {"file": file, "reason": sentence, "remedy": remedy}


def left_out_lines(rows: Sequence[Row], path: str) -> Iterator[str]:
    """Lines on the first papers left out, then a line with the file that lists all."""
    for row in rows[:SHOWN]:
        remedy = f"; {row['remedy']}" if row["remedy"] else ""
        yield f"  {row['file']}: {row['reason']}{remedy}"
    if len(rows) > SHOWN:
        yield f"  {len(rows) - SHOWN:,} more: {path}"


def as_csv(rows: Sequence[Row]) -> str:
    """The rows as CSV, with formulas made harmless."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(_COLUMNS)
    for row in rows:
        table.writerow([guard_formula(row[name] or "") for name in _COLUMNS])
    return text.getvalue()
