"""Keys of texts: the same alone and among others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.corpus.resolve.keys import Kind, hash_texts, reference_keys


def test_a_text_has_the_same_key_on_every_machine() -> None:
    assert hash_texts(["deep nets", "Ä数"], Kind.TITLE).tolist() == DEEP_NETS
    assert hash_texts(["deep nets"], Kind.TITLE) != hash_texts(["deep net s"], Kind.TITLE)


def test_a_kind_is_part_of_the_key() -> None:
    assert hash_texts(["deep nets"], Kind.PART) != hash_texts(["deep nets"], Kind.TITLE)


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), max_size=6))
def test_a_text_hashes_alike_alone_and_among_others(texts: list[str]) -> None:
    alone = [int(hash_texts([text], Kind.PART)[0]) for text in texts]
    assert hash_texts(texts, Kind.PART).tolist() == alone


@pytest.mark.parametrize("repeated", [False, True])
def test_keys_belong_to_their_reference(repeated: bool) -> None:
    titles = ["Deep nets are fine", "", "Small trees are fine", "Ground work"]
    titles = titles * 2 if repeated else titles
    empty = [None] * len(titles)
    names = ("raw", "first_author", "arxiv_id", "doi", "given_id")
    others = {name: pa.array(empty, pa.string()) for name in names}
    table = pa.table({"title": titles, "year": empty, **others})
    found = reference_keys(table)
    for row, title in enumerate(titles):
        own = found.keys[found.rows == row].tolist()
        assert set(own) == set(reference_keys(table.slice(row, 1)).keys.tolist())
        assert bool(own) == bool(title)
    assert np.all(np.diff(found.rows.astype(np.int64)) >= 0)


DEEP_NETS = [1933527259479997922, 2154176490701687256]
