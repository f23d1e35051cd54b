"""Keys of texts: the same as those of their parts taken alone, and read out of running text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.corpus.identity.matching import fold
from vivavoce.corpus.resolve.keys import as_kind, hash_texts, kinds_of, raw_keys, reference_keys
from vivavoce.corpus.resolve.titles import BLOCK, MIN_LETTERS, Kind, RawTitles

RUNNING = st.lists(
    st.one_of(
        st.sampled_from(
            ". , : ; ? \" ( ) [ ] | _ - – “ ” \n \t \u00a0 & ' 12 é ﬁ 数据 \u00ad".split(" ")
        ),
        st.sampled_from(["letters", "WORDS", "deepnets", "Müller", " ", "  ", "x²", "e\u0301tude"]),
        st.characters(exclude_categories=("Cs",)),
    ),
    max_size=30,
).map("".join)


def keys_found(text: str) -> set[int]:
    return set(raw_keys(pa.array([text], pa.string())).keys.tolist())


def test_a_text_has_the_same_key_on_every_machine() -> None:
    assert hash_texts(["deep nets", "Ä数"], Kind.TITLE).tolist() == DEEP_NETS
    assert hash_texts(["deep nets"], Kind.TITLE) != hash_texts(["deep net s"], Kind.TITLE)


def test_a_kind_is_part_of_the_key() -> None:
    keys = hash_texts(["deep nets"], Kind.PART)
    assert kinds_of(keys).tolist() == [Kind.PART]
    assert as_kind(keys, Kind.TITLE) == hash_texts(["deep nets"], Kind.TITLE)


@settings(deadline=None)
@given(st.lists(st.text(max_size=12), max_size=6))
def test_a_text_hashes_alike_alone_and_among_others(texts: list[str]) -> None:
    alone = [int(hash_texts([text], Kind.RAW)[0]) for text in texts]
    assert hash_texts(texts, Kind.RAW).tolist() == alone


@settings(deadline=None)
@given(before=RUNNING, title=RUNNING, after=RUNNING)
def test_a_title_found_in_a_text_is_one_of_its_keys(before: str, title: str, after: str) -> None:
    text = f"{before}. {title}, {after}"
    key = "".join(c for c in fold(title) if c.isalnum())
    if RawTitles([title]).find(text)[1]:
        asked = hash_texts([key, key[:BLOCK]], Kind.RAW)
        asked[1:] = as_kind(asked[1:], Kind.RAW_BLOCK)
        assert keys_found(text) & set(asked.tolist())
    elif len(key) >= MIN_LETTERS:
        # The other way round: no stretch is taken for a title that does not stand alone.
        assert int(hash_texts([key], Kind.RAW)[0]) not in keys_found(text)


def test_a_text_of_very_many_marks_is_looked_up_by_first_letters() -> None:
    text = "deepnetsarefine. " + "ab. " * 400
    found = raw_keys(pa.array([text], pa.string()))
    assert set(kinds_of(found.keys).tolist()) == {Kind.RAW_BLOCK}
    assert int(hash_texts(["deepnetsar"], Kind.RAW_BLOCK)[0]) in found.keys.tolist()
    assert len(found.keys) <= 3 * 401  # three lengths at each start


@pytest.mark.parametrize("repeated", [False, True])
def test_keys_belong_to_their_reference(repeated: bool) -> None:
    raws = ["A. Ba. Deep nets are fine.", "", "B. Ca. Small trees are fine.", "Ünder. Ground work."]
    raws = raws * 2 if repeated else raws
    empty = [None] * len(raws)
    names = ("title", "first_author", "arxiv_id", "doi", "given_id")
    table = pa.table(
        {"raw": raws, "year": empty, **{name: pa.array(empty, pa.string()) for name in names}}
    )
    found = reference_keys(table)
    for row, raw in enumerate(raws):
        own = set(found.keys[found.rows == row].tolist())
        assert own == keys_found(raw)
    assert np.all(np.diff(found.rows.astype(np.int64)) >= 0)


DEEP_NETS = [1933527259479997922, 2154176490701687256]
