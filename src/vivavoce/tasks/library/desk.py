"""A library opened for an item, with functions to search and read whose calls are counted."""

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from threading import Lock
from typing import Any

from vivavoce.errors import InputError
from vivavoce.rounds import load_round
from vivavoce.tasks.library import OUTLINE, Library, read_library
from vivavoce.text.chunk import short

RESULTS, PAGE = 5, 4000
"""Default number of hits per search, and of characters per page."""
MAX_QUERY = 1000
"""Maximum characters of a query."""
_MAX_PAGES = 10_000
_OPENING = Lock()

Functions = dict[str, Callable[..., str]]
"""`search` and `read`, for programs and frameworks."""


def open_entry(entry: Mapping[str, Any]) -> Library:
    """Open the library described by the entry `library` of a sample's metadata."""
    papers = entry.get("papers")
    with _OPENING:
        whole = _read(
            entry["round"],
            load_round(entry["round"]).sha256,
            entry["family"],
            entry["file"],
            entry["cutoff"],
            None if papers is None else tuple(papers),
        )
    return whole.hiding(entry.get("hidden_papers") or ())


@lru_cache(maxsize=4)
def _read(
    folder: str,
    sha256: str,
    family: str,
    file: str,
    cutoff: str | None,
    papers: tuple[str, ...] | None,
) -> Library:
    """A library without hidden papers, shared by samples with the same cutoff and papers."""
    content = load_round(folder).read_file(family, file)
    return Library(read_library(content, papers), cutoff)


class Desk:
    """A library as used by one contestant, with counts of its calls."""

    def __init__(self, library: Library, results: int = RESULTS, page: int = PAGE) -> None:
        self.searches = self.reads = 0
        self.papers_read: list[str] = []
        """Papers in the order of first reading."""
        self._library, self._results, self._page = library, results, page

    @property
    def papers(self) -> int:
        """Number of visible papers."""
        return len(self._library)

    def record(self) -> dict[str, Any]:
        """The calls so far, for a log."""
        papers = list(self.papers_read)
        return {"searches": self.searches, "reads": self.reads, "papers_read": papers}

    def search(self, query: str) -> str:
        """The hits of a search as a numbered list; `InputError` for an invalid query."""
        if not query.strip() or len(query) > MAX_QUERY:
            raise InputError(f"A query has 1 to {MAX_QUERY} characters; this one has {len(query)}.")
        hits = self._library.search(query, self._results)
        self.searches += 1
        if not hits:
            return "Nothing in the library has a word of this query. Try other words."
        return "\n\n".join(
            f"{number}. paper_id: {hit.paper_id}\n{short(hit.title, 200)} ({hit.published}), "
            f"{hit.part}:\n{hit.text}"
            for number, hit in enumerate(hits, 1)
        )

    def read(self, paper_id: str, part: str, page: int) -> str:
        """A page of a paper with its head; `InputError` when there is none."""
        if not 1 <= page <= _MAX_PAGES:
            raise InputError("A page is a number from 1 on.")
        shown = self._library.read(paper_id, part, page, self._page)
        self.reads += 1
        if shown.paper_id not in self.papers_read:
            self.papers_read.append(shown.paper_id)
        more = f" For the next page, ask for page {page + 1}." if page < shown.pages else ""
        return (
            f"{short(shown.title, 200)} ({shown.published})\n"
            f"{shown.part}, page {shown.number} of {shown.pages}.{more}\n\n{shown.text}"
        )


def functions_of(desk: Desk) -> Functions:
    """The two tools as functions; models see their docstrings.

    They raise `InputError` for an invalid call.
    """

    def search(query: str) -> str:
        """Find the passages of the library that fit some words best.

        Args:
            query: The words to look for, such as the names of a task, data set and metric.

        Returns:
            A numbered list: paper id, title, date, part of the paper, and the passage.
        """
        return desk.search(query)

    def read(paper_id: str, part: str = OUTLINE, page: int = 1) -> str:
        """Read a paper of the library.

        Args:
            paper_id: The paper's id, as a search gives it.
            part: What to read: "outline" for the abstract and a list of the sections and tables
                that the paper has, "abstract", "section 3" or "table 1".
            page: The page of that part, from 1.

        Returns:
            Title, date and a page of the part.
        """
        return desk.read(paper_id, part, page)

    return {"search": search, "read": read}


def in_words(function: Callable[..., str]) -> Callable[..., str]:
    """Wrap a function so that it returns an error message for an invalid call."""

    @wraps(function)
    def call(*given: Any, **named: Any) -> str:
        try:
            return function(*given, **named)
        except InputError as error:
            return f"Error: {error}"

    return call
