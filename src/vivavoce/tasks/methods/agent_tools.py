"""The two tools of the method `agent`: search a library and read its papers."""

from __future__ import annotations

from anyio import to_thread
from inspect_ai.tool import Tool, ToolError, tool

from vivavoce.errors import InputError
from vivavoce.tasks.library.search import OUTLINE, Library
from vivavoce.tasks.library.text import short

LONGEST_QUERY = 1000
"""Characters; more are no query."""
_MOST_PAGES = 10_000


class Desk:
    """A library as one sample works with it: what was asked for is counted.

    Args:
        library: What may be shown.
        results: Hits of a search, at most.
        page: Characters of a page, at most.
    """

    def __init__(self, library: Library, results: int, page: int) -> None:
        self.searches = self.reads = 0
        self.papers_read: list[str] = []
        """In the order of their first reading."""
        self._library, self._results, self._page = library, results, page

    @property
    def papers(self) -> int:
        """How many papers there are to be found."""
        return len(self._library)

    def search(self, query: str) -> str:
        """The hits of a search as a numbered list; `InputError` for what is no query."""
        if not query.strip() or len(query) > LONGEST_QUERY:
            raise InputError(
                f"A query has 1 to {LONGEST_QUERY} characters; this one has {len(query)}."
            )
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
        if not 1 <= page <= _MOST_PAGES:
            raise InputError("A page is a number from 1 on.")
        found = self._library.read(paper_id, part, page, self._page)
        self.reads += 1
        if found.paper_id not in self.papers_read:
            self.papers_read.append(found.paper_id)
        more = f" For the next page, ask for page {page + 1}." if page < found.pages else ""
        return (
            f"{short(found.title, 200)} ({found.published})\n"
            f"{found.part}, page {found.number} of {found.pages}.{more}\n\n{found.text}"
        )


def tools_of(desk: Desk) -> list[Tool]:
    """The tools that a model is given; a call that cannot be carried out is answered in words."""
    return [_search(desk), _read(desk)]


# Calls of one turn are carried out one after the other: a log tells them in that order.
@tool(name="search", parallel=False)
def _search(desk: Desk) -> Tool:
    async def execute(query: str) -> str:
        """Find the passages of the library that fit some words best.

        Args:
            query: The words to look for, such as the names of a task, data set and metric.

        Returns:
            A numbered list: paper id, title, date, part of the paper, and the passage.
        """
        try:
            return await to_thread.run_sync(desk.search, query)
        except InputError as error:
            raise ToolError(str(error)) from error

    return execute


@tool(name="read", parallel=False)
def _read(desk: Desk) -> Tool:
    async def execute(paper_id: str, part: str = OUTLINE, page: int = 1) -> str:
        """Read a paper of the library.

        Args:
            paper_id: The paper's id, as a search gives it.
            part: What to read: "outline" for the abstract and a list of the sections and tables
                that the paper has, "abstract", "section 3" or "table 1".
            page: The page of that part, from 1.

        Returns:
            Title, date and a page of the part.
        """
        try:
            return await to_thread.run_sync(desk.read, paper_id, part, page)
        except InputError as error:
            raise ToolError(str(error)) from error

    return execute
