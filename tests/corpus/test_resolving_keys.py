"""Keys of texts: the same alone and among others."""

from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.corpus.reference_index import Kind, hash_texts


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


DEEP_NETS = [1933527259479997922, 2154176490701687256]
