"""The full-text index of a corpus: built once, then changed only where papers changed.

`index/abstracts/` and `index/full/` lie in the corpus folder. An update walks the papers of the
corpus and the list of indexed papers side by side, both sorted by id, and commits now and then.
When it is killed, the next one goes on from the last commit, even if the corpus has changed.

In such a folder `terms/` is what is searched, `papers/` lists the indexed papers, and `state.json`
describes both, with every file. An update writes into `next.json` what the index will hold, commits
it with the hash of that as its mark, and then `state.json` follows. So after a kill between the two
the mark tells that the index holds what `next.json` says.
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.corpus.reading import Corpus, load_corpus, read_columns
from vivavoce.errors import DamagedError, InputError, StaleError
from vivavoce.retrieval.all_terms import (
    TantivyIndex,
    TantivyWriter,
    TermsDocument,
    committed_files,
    index_format,
)
from vivavoce.store import Row, hash_file, hash_of, lock, read_sealed, write_parquet, write_sealed
from vivavoce.text.terms import TERM_RULES

FOLDER = "index"
READS = {"abstracts": ("papers",), "full": ("papers", "sections")}
"""The kinds of text that can be indexed, each with the tables that it is read from."""
FORMAT = 1
"""Raised when what is indexed of a paper, or the layout of the folder, changes."""
PAPERS_PER_LIST = 50_000
CHANGES_PER_COMMIT = 50_000

_LISTED = pa.schema(
    [("paper_id", pa.large_string()), ("number", pa.int64()), ("digest", pa.binary(32))]
)
_ROWS_AT_A_TIME = 1_000

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Counts of an update of an index."""

    text: str
    papers: int
    """Papers in the index now."""
    added: int = 0
    changed: int = 0
    removed: int = 0


def build_index(
    corpus: Corpus,
    *,
    text: str = "abstracts",
    fresh: bool = False,
    progress: Progress | None = None,
) -> IndexReport:
    """Bring the index of a corpus up to date; papers that did not change are not touched.

    Args:
        corpus: What to index; the index goes into its folder `index`.
        text: `abstracts` for titles and abstracts, `full` for headings and sections as well.
        fresh: Drop the existing index and rebuild it.
        progress: Called with the papers walked and their number.

    Raises:
        InputError: No such kind of text.
        LockedError: Another process holds the corpus.
        StaleError: The index was made under other rules; the message shows which.
        DamagedError: A file of the corpus or of the index is not as it was written.
    """
    folder, remedy = index_folder(corpus, text), _remedy(corpus, text)
    with lock(corpus.folder):
        corpus = load_corpus(corpus.folder)  # as it is now that nobody else can change it
        if fresh or not (folder / STATE).exists():
            begin(folder, _config(text))
        state = settle(folder, read_state(folder, _config(text), remedy), remedy)
        if state["inputs"] == corpus.content_of(READS[text]):
            return IndexReport(text, state["papers"])
        return _Update(corpus, text, state).run(progress)


def open_index(corpus: Corpus, *, text: str = "abstracts") -> TantivyIndex:
    """Open the index of a corpus as the corpus is now.

    Files whose size and time are as recorded are taken to be sound without reading them.

    Raises:
        InputError: No such kind of text.
        StaleError: It was not built, or before the corpus changed, or its update was cut short.
        DamagedError: A file of the index is not as it was written.
    """
    folder, remedy = index_folder(corpus, text), _remedy(corpus, text)
    if not (folder / STATE).exists():
        raise StaleError(
            f"{corpus.folder} has no index of its {text} yet. Run: {_command(corpus, text)}"
        )
    state = read_state(folder, _config(text), remedy)
    if state["inputs"] != corpus.content_of(READS[text]):
        raise StaleError(
            f"{folder} is not up to date: the corpus changed since, or an update was cut short. "
            f"Run: {_command(corpus, text)}"
        )
    if problem := find_damage(folder, state["files"], deep=False):
        raise DamagedError(f"{problem} {remedy}")
    return TantivyIndex(folder / TERMS, _numbered(folder, state["lists"]))


def index_folder(corpus: Corpus, text: str) -> Path:
    """Folder of an index of a corpus; `InputError` names the kinds of text there are."""
    if text not in READS:
        raise InputError(f"No text is called {text!r}. There are: {', '.join(READS)}.")
    return corpus.folder / FOLDER / text


def read_documents(corpus: Corpus, *, text: str = "abstracts") -> Iterator[TermsDocument]:
    """Text to index of every paper, sorted by id, a few in memory at a time."""
    sections = _read_sections(corpus) if text == "full" else iter(())
    section = next(sections, None)
    names = ["paper_id", "title", "abstract", "first_public"]
    for paper_id, title, abstract, published in corpus.columns("papers", names):
        parts = [title, abstract]
        while section is not None and section[0] <= paper_id:
            parts += section[1] if section[0] == paper_id else []
            section = next(sections, None)
        over = corpus.date_of_work(paper_id) or published
        yield TermsDocument(paper_id, "\n".join(filter(None, parts)), over)


class _Update:
    """One walk along the papers of a corpus and the list of those that were indexed."""

    def __init__(self, corpus: Corpus, text: str, state: Row) -> None:
        self.corpus, self.text, self.state = corpus, text, state
        self.folder = index_folder(corpus, text)
        self.writer = TantivyWriter(self.folder / TERMS)
        self.files: Row = state["files"]
        self.counts = Counter(papers=int(state["papers"]))
        self.next_number = int(state["next_number"])
        self.lists: list[Row] = []
        self.rows: list[Row] = []
        self.uncommitted = 0

    def run(self, progress: Progress | None) -> IndexReport:
        """Change what has to be changed, and commit."""
        files = self.corpus.manifest["files"]
        total = sum(files[name]["rows"] for name in self.corpus.files("papers"))
        known = self._known()
        old = next(known, None)
        for done, document in enumerate(read_documents(self.corpus, text=self.text)):
            while old is not None and old["paper_id"] < document.id:
                self._remove(old)
                old = next(known, None)
            is_known = old is not None and old["paper_id"] == document.id
            self._put(document, old if is_known else None)
            if is_known:
                old = next(known, None)
            if len(self.rows) >= PAPERS_PER_LIST:
                self._write_list()
            if self.uncommitted >= CHANGES_PER_COMMIT:
                self._commit(upto=document.id)
            if progress and done % _ROWS_AT_A_TIME == 0:
                progress(done, total)
        while old is not None:
            self._remove(old)
            old = next(known, None)
        self._commit(upto=None)
        if progress:
            progress(total, total)
        return IndexReport(self.text, **self.counts)

    def _known(self) -> Iterator[Row]:
        """The papers in the index as it was, sorted by id."""
        for entry in self.state["lists"]:
            for row in read_columns(self.folder / entry["name"], _LISTED.names):
                if entry["after"] is None or row[0] > entry["after"]:
                    yield dict(zip(_LISTED.names, row, strict=True))

    def _put(self, document: TermsDocument, old: Row | None) -> None:
        whole = f"{document.published}\0{document.text}"
        digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).digest()
        if old is not None and digest == old["digest"]:
            self.rows.append(old)
            return
        number = self.next_number if old is None else old["number"]
        self.next_number += old is None
        self.counts.update({"changed": 1} if old else {"papers": 1, "added": 1})
        self.writer.put(number, document)
        self.rows.append({"paper_id": document.id, "number": number, "digest": digest})
        self.uncommitted += 1

    def _remove(self, old: Row) -> None:
        self.writer.remove(old["number"])
        self.uncommitted += 1
        self.counts.update(papers=-1, removed=1)

    def _write_list(self) -> None:
        if self.rows:
            name = f"{LISTS}/{self._serial():08d}.parquet"
            write_parquet(self.folder / name, self.rows, _LISTED)
            self.lists.append({"name": name, "after": None, "last": self.rows[-1]["paper_id"]})
            self.rows = []

    def _serial(self) -> int:
        return int(self.state["serial"]) + len(self.lists)

    def _commit(self, upto: str | None) -> None:
        """Commit what was changed up to a paper, or all of it, and write down that it was."""
        self._write_list()
        left = [] if upto is None else [e for e in self.state["lists"] if e["last"] > upto]
        content = {
            "config": self.state["config"],
            "inputs": self.corpus.content_of(READS[self.text]) if upto is None else None,
            "lists": [*self.lists, *({**entry, "after": upto} for entry in left)],
            "serial": self._serial(),
            "next_number": self.next_number,
            "papers": self.counts["papers"],
        }
        if self.uncommitted:
            # A kill at any moment leaves the old or the new.
            write_sealed(self.folder / NEXT, content)
            self.writer.commit(mark=hash_of(content))
            self.uncommitted = 0
        self.files = write_state(self.folder, content, self.files)["files"]


def _numbered(folder: Path, lists: Sequence[Row]) -> Callable[[list[int]], list[str]]:
    """The ids of the papers in an index by their numbers, read when first asked for."""

    @cache
    def known() -> tuple[Any, Any]:
        columns = ["number", "paper_id"]
        pieces = [pq.ParquetFile(folder / one["name"]).read(columns=columns) for one in lists]
        table = pa.concat_tables(pieces).sort_by("number")
        return table["number"].to_numpy(), table["paper_id"]

    def ids(numbers: list[int]) -> list[str]:
        held, names = known()
        found: list[str] = names.take(pa.array(np.searchsorted(held, numbers))).to_pylist()
        return found

    return ids


def _config(text: str) -> Row:
    return {"format": FORMAT, "text": text, "terms": TERM_RULES, "files": index_format()}


def _command(corpus: Corpus, text: str) -> str:
    return f"viva corpus index --corpus {corpus.folder} --text {text}"


def _remedy(corpus: Corpus, text: str) -> str:
    return f"Build the index anew: {_command(corpus, text)} --fresh"


def _read_sections(corpus: Corpus) -> Iterator[tuple[str, list[str | None]]]:
    """(paper id, its headings and texts in order) of every paper that has a text."""
    rows = corpus.columns("sections", ["paper_id", "heading", "text"])
    for paper_id, group in groupby(rows, key=lambda row: str(row[0])):
        yield paper_id, [part for _, *parts in group for part in parts]


STATE, NEXT, LISTS, TERMS = "state.json", "next.json", "papers", "terms"


def begin(folder: Path, config: Row) -> None:
    """Make an empty index in place of whatever is there."""
    if folder.exists():
        shutil.rmtree(folder)
    content: Row = {"config": config, "inputs": None, "lists": []}
    content |= {"serial": 0, "next_number": 0, "papers": 0}
    TantivyWriter(folder / TERMS).commit(mark=hash_of(content))
    write_state(folder, content, {})


def read_state(folder: Path, config: Row, remedy: str) -> Row:
    """Recorded state of an index.

    Raises:
        DamagedError: The state was altered.
        StaleError: The index was made under another config; the message shows the difference.
    """
    state = read_sealed(folder / STATE, remedy)
    then = state["config"]
    if then != config:
        names = sorted(name for name in {*then, *config} if then.get(name) != config.get(name))
        changes = ", ".join(f"{name} {then.get(name)} -> {config.get(name)}" for name in names)
        raise StaleError(f"{folder} was made under other rules: {changes}. {remedy}")
    return state


def settle(folder: Path, state: Row, remedy: str) -> Row:
    """The state of an index that may have been killed between a commit and writing it down.

    Reads every file. `DamagedError` names one that is not as it was written.
    """
    problem = find_damage(folder, state["files"], deep=True)
    if problem is None:
        (folder / NEXT).unlink(missing_ok=True)
        return state
    damaged = DamagedError(f"{problem} {remedy}")
    meta = f"{TERMS}/meta.json"  # the one file that a commit replaces
    kept = {n: e for n, e in state["files"].items() if n != meta and (folder / n).exists()}
    if find_damage(folder, kept, deep=True):
        raise damaged
    try:
        content = read_sealed(folder / NEXT)
        mark = TantivyIndex(folder / TERMS, lambda numbers: []).mark
    except DamagedError as error:
        raise damaged from error
    lists = [folder / entry["name"] for entry in content["lists"]]
    if mark != hash_of(content) or not all(path.exists() for path in lists):
        raise damaged
    return write_state(folder, content, kept)


def write_state(folder: Path, content: Row, before: Row) -> Row:
    """Write down what an index holds, with all its files; delete the lists that left it."""
    names = [f"{TERMS}/{name}" for name in committed_files(folder / TERMS)]
    listed = [entry["name"] for entry in content["lists"]]
    files = {name: _file_entry(folder / name, before.get(name)) for name in names + listed}
    state = {**content, "files": files}
    write_sealed(folder / STATE, state)
    (folder / NEXT).unlink(missing_ok=True)
    for path in sorted((folder / LISTS).glob("*.parquet")):
        if f"{LISTS}/{path.name}" not in listed:
            path.unlink()
    return state


def find_damage(folder: Path, files: Row, *, deep: bool) -> str | None:
    """Problem with a file of an index; None when all are as recorded.

    Unless `deep`, a file of the size and time recorded is not read.
    """
    for name, entry in files.items():
        path = folder / name
        if not path.exists():
            return f"{path} is missing."
        if not deep and _stamp(path).items() <= entry.items():
            continue
        if hash_file(path) != entry["sha256"]:
            return f"{path} differs from what was written."
    return None


def _file_entry(path: Path, before: Row | None) -> Row:
    stamp = _stamp(path)
    if before is not None and stamp.items() <= before.items():
        return before
    return {**stamp, "sha256": hash_file(path)}


def _stamp(path: Path) -> Row:
    stat = path.stat()
    return {"bytes": stat.st_size, "mtime_ns": stat.st_mtime_ns}
