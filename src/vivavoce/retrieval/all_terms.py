"""Documents that contain every term of a query.

`TantivyIndex` lies on disk, is changed document by document by a `TantivyWriter`, and suits
millions of documents; `PostingsIndex` is one in memory, for some hundred thousand. Both see text
through `vivavoce.text.terms` only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from vivavoce.errors import DamagedError, InputError, VivaError
from vivavoce.store import read_json
from vivavoce.text.dates import day_after
from vivavoce.text.terms import query_terms, terms_of

if TYPE_CHECKING:
    import tantivy

_NUMBER, _TERMS, _OVER, _MARK = "number", "terms", "over", "mark"
_META = "meta.json"
_MARK_NUMBER = -1
_HEAP_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class TermsDocument:
    """Something that can be found by its terms."""

    id: str
    text: str
    published: str | None = None
    """`YYYY`, `YYYY-MM` or `YYYY-MM-DD`; None for an undated document."""


class TantivyIndex:
    """An index on disk, opened for reading as it was last committed.

    Args:
        folder: Where a `TantivyWriter` wrote it.
        ids: Gives the ids of documents by the numbers they were put under.

    Raises:
        DamagedError: There is no readable index.
    """

    def __init__(self, folder: Path, ids: Callable[[list[int]], list[str]]) -> None:
        import tantivy

        try:
            self._read(tantivy.Index.open(str(folder)), ids)
            self.mark = self._read_mark()
        except BaseException as error:  # a damaged file can make the library panic, no Exception
            if isinstance(error, ValueError | OSError) or _is_panic(error):
                raise DamagedError(f"{folder} cannot be read as an index: {error}") from error
            raise

    def _read(self, index: tantivy.Index, ids: Callable[[list[int]], list[str]]) -> None:
        # By itself a thread would go on looking for later commits, which nobody asks for here.
        index.config_reader(reload_policy="manual")
        self._ids = ids
        self._schema = index.schema
        self._searcher = index.searcher()

    def all_terms(
        self, query: str, *, as_of: date | None = None, drop_stop_words: bool = False
    ) -> list[str]:
        """Ids of the documents that contain every term of a query, sorted.

        None for a query without terms. The order and number of words does not matter, nor do
        case and punctuation; no character has a special meaning.

        Args:
            query: Words.
            as_of: Only documents whose date was over before this day; an undated one never is.
            drop_stop_words: Do not ask for English function words.
        """
        import tantivy

        wanted = query_terms(query, drop_stop_words=drop_stop_words)
        most = min((self._searcher.doc_freq(_TERMS, term) for term in wanted), default=0)
        if not most:
            return []
        make, must = tantivy.Query, tantivy.Occur.Must
        clauses = [
            (must, make.term_query(self._schema, _TERMS, term, index_option="basic"))
            for term in wanted
        ]
        if as_of is not None:
            kind, last = tantivy.FieldType.Integer, as_of.toordinal()
            clauses.append((must, make.range_query(self._schema, _OVER, kind, None, last)))
        unscored = make.const_score_query(make.boolean_query(clauses), 1.0)
        hits = self._searcher.search(unscored, limit=most, count=False).hits
        places = [place for _, place in hits]
        numbers = self._searcher.fast_field_values(_NUMBER, places)
        return sorted(self._ids([int(number) for number in numbers if number is not None]))

    def __len__(self) -> int:
        return int(self._searcher.num_docs) - 1

    def _read_mark(self) -> str:
        import tantivy

        query = tantivy.Query.term_query(self._schema, _NUMBER, _MARK_NUMBER)
        ((_, place),) = self._searcher.search(query, limit=2).hits
        return str(self._searcher.doc(place)[_MARK][0])


class PostingsIndex(TantivyIndex):
    """An index in memory.

    Raises:
        InputError: Two documents have the same id.
    """

    def __init__(self, documents: Iterable[TermsDocument]) -> None:
        writer = TantivyWriter(None)
        ids: list[str] = []
        for number, document in enumerate(documents):
            ids.append(document.id)
            writer.put(number, document)
        for one, next_one in pairwise(sorted(ids)):
            if one == next_one:
                raise InputError(f"Two documents have the id {one!r}.")
        writer.commit(mark="")
        writer.index.reload()
        self._read(writer.index, lambda numbers: [ids[number] for number in numbers])


class TantivyWriter:
    """Puts documents into an index on disk and takes them out.

    Readers see no part of it before `commit`, and a process killed before that leaves the index as
    it was. Memory stays bounded: full buffers go to disk. Without a folder all stays in memory.

    Raises:
        DamagedError: What is in the folder is not such an index.
    """

    def __init__(self, folder: Path | None) -> None:
        import tantivy

        self._folder = folder
        self._writer: tantivy.IndexWriter | None = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        try:
            self.index = tantivy.Index(_schema(), path=None if folder is None else str(folder))
        except (ValueError, OSError) as error:
            raise DamagedError(f"{folder} cannot be used as an index: {error}") from error

    def put(self, number: int, document: TermsDocument) -> None:
        """Add a document under a number, from 0, in place of the one there."""
        import tantivy

        self.remove(number)
        terms, over = " ".join(terms_of(document.text)), day_after(document.published)
        self._add(tantivy.Document(number=number, terms=terms, over=over))

    def remove(self, number: int) -> None:
        """Take out the document of a number."""
        self._open().delete_documents_by_term(_NUMBER, number)

    def commit(self, mark: str) -> None:
        """Make every change since the last commit visible at once, with a mark that names them.

        Raises:
            VivaError: The index cannot be written, for want of room for instance.
        """
        import tantivy

        self.remove(_MARK_NUMBER)
        self._add(tantivy.Document(number=_MARK_NUMBER, mark=mark))
        writer, self._writer = self._open(), None
        try:
            writer.commit()
            writer.wait_merging_threads()
        except (ValueError, OSError) as error:
            raise self._failed(error) from error

    def _add(self, document: tantivy.Document) -> None:
        try:
            self._open().add_document(document)
        except (ValueError, OSError) as error:
            raise self._failed(error) from error

    def _open(self) -> tantivy.IndexWriter:
        if self._writer is None:
            try:
                # One thread: the terms are made in this one, which takes longer.
                self._writer = self.index.writer(heap_size=_HEAP_BYTES, num_threads=1)
            except (ValueError, OSError) as error:
                raise self._failed(error) from error
        return self._writer

    def _failed(self, error: Exception) -> VivaError:
        return VivaError(
            f"{self._folder} could not be written: {error}. Make room for it, then run the same "
            "command again."
        )


def index_format() -> str:
    """The format of the files that a `TantivyWriter` writes."""
    from tantivy.tantivy import __version__

    return __version__.rpartition(", ")[2]


def committed_files(folder: Path) -> list[str]:
    """The names of the files that the last commit of an index consists of, sorted."""
    meta = read_json(folder / _META)
    # SEGMENT.term and the like; what was deleted of a segment at a commit: SEGMENT.COMMIT.del
    segments = {entry["segment_id"].replace("-", ""): entry for entry in meta["segments"]}
    deleted = {
        f"{segment}.{entry['deletes']['opstamp']}.del"
        for segment, entry in segments.items()
        if entry.get("deletes")
    }
    names = [path.name for path in folder.iterdir()]
    of_segments = [name for name in names if name.partition(".")[0] in segments]
    return sorted([_META, *(n for n in of_segments if not n.endswith(".del") or n in deleted)])


def _schema() -> tantivy.Schema:
    import tantivy

    fields = tantivy.SchemaBuilder()
    fields.add_integer_field(_NUMBER, indexed=True, fast=True)
    fields.add_text_field(_TERMS, tokenizer_name="whitespace", index_option="basic")
    fields.add_integer_field(_OVER, fast=True)
    fields.add_text_field(_MARK, stored=True, tokenizer_name="raw", index_option="basic")
    return fields.build()


def _is_panic(error: BaseException) -> bool:
    return type(error).__name__ == "PanicException"
