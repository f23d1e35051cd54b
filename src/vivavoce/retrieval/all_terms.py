"""Documents that contain every term of a query.

Text is seen through `vivavoce.text.terms` only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from vivavoce.errors import InputError
from vivavoce.text.dates import day_after
from vivavoce.text.terms import query_terms, terms_of

if TYPE_CHECKING:
    import tantivy

_NUMBER, _TERMS, _OVER = "number", "terms", "over"
_HEAP_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class TermsDocument:
    """Something that can be found by its terms."""

    id: str
    text: str
    published: str | None = None
    """`YYYY`, `YYYY-MM` or `YYYY-MM-DD`; None for an undated document."""


class PostingsIndex:
    """An index in memory.

    Raises:
        InputError: Two documents have the same id.
    """

    def __init__(self, documents: Iterable[TermsDocument]) -> None:
        import tantivy

        index = tantivy.Index(_schema())
        # One thread: the terms are made in this one, which takes longer.
        writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
        self._ids: list[str] = []
        for number, document in enumerate(documents):
            self._ids.append(document.id)
            terms, over = " ".join(terms_of(document.text)), day_after(document.published)
            writer.add_document(tantivy.Document(number=number, terms=terms, over=over))
        for one, next_one in pairwise(sorted(self._ids)):
            if one == next_one:
                raise InputError(f"Two documents have the id {one!r}.")
        writer.commit()
        writer.wait_merging_threads()
        # By itself a thread would go on looking for later commits, which nobody makes here.
        index.config_reader(reload_policy="manual")
        index.reload()
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
        numbers = self._searcher.fast_field_values(_NUMBER, [place for _, place in hits])
        return sorted(self._ids[int(number)] for number in numbers if number is not None)

    def __len__(self) -> int:
        return len(self._ids)


def _schema() -> tantivy.Schema:
    import tantivy

    fields = tantivy.SchemaBuilder()
    fields.add_integer_field(_NUMBER, fast=True)
    fields.add_text_field(_TERMS, tokenizer_name="whitespace", index_option="basic")
    fields.add_integer_field(_OVER, fast=True)
    return fields.build()
