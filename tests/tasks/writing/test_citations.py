"""The works that a related-work section cites, and those listed beside them."""

from pathlib import Path
from typing import Any

import pytest
from tests.tasks.writing.corpora import Papers, usual, words

from vivavoce.records import Paper, Section
from vivavoce.tasks.writing.citations import MAX_WORKS, Library, cited_by_text
from vivavoce.tasks.writing.inputs import PaperText

SHORT = words("filler", 45)


def target(related: str, opening: str = "") -> PaperText:
    texts = {"introduction": opening, "related_work": related, "method": "We do."}
    sections = tuple(
        Section(n, 1, role, role, text) for n, (role, text) in enumerate(texts.items())
    )
    return PaperText("p", "2024-05", "The target", "The abstract.", sections)


def reference(ordinal: int, title: str | None = "", **more: Any) -> dict[str, Any]:
    row = {
        "paper_id": "p", "ordinal": ordinal, "title": f"Work {ordinal}" if title == "" else title,
        "year": 2000 + ordinal, "first_author": f"Author{chr(97 + ordinal)}",
        "cited_paper_id": None,
    }  # fmt: skip
    return row | more


def known(name: str, **more: Any) -> Paper:
    values: dict[str, Any] = dict.fromkeys(Paper.__slots__) | {
        "paper_id": name, "title": f"Title of {name}", "abstract": f"Abstract of {name}",
        "first_public": "2020", "categories": ("cs.CL",), "gates": ("no_text",),
        "source": "metadata",
    }  # fmt: skip
    return Paper(**(values | more))


def ordinals(rows: list[dict[str, Any]] | None) -> list[int] | None:
    return None if rows is None else [row["ordinal"] for row in rows]


def test_numbers_tell_when_the_last_entry_is_the_highest_number() -> None:
    references = [reference(n) for n in range(5)]
    paper = target("First [2], then [4, 5].", opening="As in [1] and [3].")
    assert ordinals(cited_by_text(paper, references)) == [1, 3, 4]
    # With an entry too few or too many the numbers may mean others.
    assert cited_by_text(paper, references[:4]) is None
    assert cited_by_text(paper, [*references, reference(5)]) is None


def test_names_and_years_tell_when_most_of_them_fit() -> None:
    references = [
        reference(0, first_author="Ann Weir", year=2001),
        reference(1, first_author="Bo Lim", year=2002),
        reference(2, first_author="Weir", year=2003),
        reference(3, first_author=None),
    ]
    both = target("Weir and Dorn (2001) began; Lim et al. (2002) went on.")
    assert ordinals(cited_by_text(both, references)) == [0, 1]
    strangers = target("Weir (2001) began; Kerr (1999), Sahl (1998) and Ott (1997) went on.")
    assert cited_by_text(strangers, references) is None
    assert cited_by_text(target("Nobody is named."), references) is None


def test_cited_works_take_title_and_abstract_from_the_corpus() -> None:
    library = Library([known("k", title="The Known Work")], seed=0)
    listed = [reference(0, "the known work", cited_paper_id="k"), reference(1)]
    listed += [reference(2, None), reference(3, "?!")]  # no titles
    works = library.works(target("Nobody is named."), "cs.CL", listed, ())
    assert {w["title"]: (w["work_id"], w["abstract"], w["role"]) for w in works} == {
        "Work 1": (None, None, "cited"),
        "The Known Work": ("k", "Abstract of k", "cited"),
    }


def test_the_target_its_copies_and_second_mentions_are_no_works() -> None:
    library = Library([known("p", title="The target"), known("copy"), known("k")], seed=0)
    listed = [
        reference(0, "The Target"),
        reference(1, cited_paper_id="copy"),
        reference(2, cited_paper_id="k"),
        reference(3, "Title of K!"),
    ]
    works = library.works(target("Nobody."), "cs.CL", listed, ["copy"])
    assert [(w["work_id"], w["role"]) for w in works] == [("k", "cited")]


def test_works_cited_by_text_are_cited_and_no_other_reference_is_padding() -> None:
    papers = [known("a", title="Work 0"), known("b", title="Work 1"), known("c")]
    library = Library(papers, seed=0)
    listed = [reference(0, cited_paper_id="a"), reference(1, cited_paper_id="b")]
    works = library.works(target("Only [1].", opening="But also [2]."), "cs.CL", listed, ())
    assert sorted((w["work_id"], w["role"]) for w in works) == [
        ("a", "cited"), ("c", "padding"),
    ]  # fmt: skip


def test_padding_is_not_dated_after_the_target_and_has_title_and_abstract() -> None:
    papers = [
        known("same month", first_public="2024-05"), known("later", first_public="2024-06"),
        known("that year", first_public="2024"), known("undated", first_public=None),
        known("bare", abstract=None),
    ]  # fmt: skip
    works = Library(papers, seed=0).works(target("Nobody."), "cs.CL", [reference(0)], ())
    assert {w["work_id"] for w in works if w["role"] == "padding"} == {"same month"}


def test_padding_comes_from_the_category_first_up_to_100_works_in_all() -> None:
    near = [known(f"n{n}") for n in range(60)]
    far = [known(f"f{n}", categories=("cs.LG",)) for n in range(200)]
    library = Library([*far, *near], seed=0)
    works = library.works(target("Nobody."), "cs.CL", [reference(n) for n in range(7)], ())
    assert (len(works), [w["role"] for w in works].count("cited")) == (MAX_WORKS, 7)
    padding = [w["work_id"] for w in works if w["role"] == "padding"]
    assert sum(name.startswith("n") for name in padding) == 60
    again = library.works(target("Nobody."), "cs.CL", [reference(n) for n in range(7)], ())
    assert again == works
    other = Library([*near, *far], seed=1).works(target("Nobody."), "cs.CL", [reference(0)], ())
    assert {w["work_id"] for w in other} != {w["work_id"] for w in works}


@pytest.mark.parametrize("resolved", [0, 3, 7, 10])
def test_an_abstract_does_not_tell_a_cited_work_from_padding(resolved: int) -> None:
    corpus = [known(f"n{n}") for n in range(150)]
    references = [reference(n, cited_paper_id=f"n{n}" if n < resolved else None) for n in range(10)]
    works = Library(corpus, seed=0).works(target("Nobody."), "cs.CL", references, ())
    shares = {
        role: [bool(w["abstract"]) for w in works if w["role"] == role]
        for role in ("cited", "padding")
    }
    assert {role: len(found) for role, found in shares.items()} == {"cited": 10, "padding": 90}
    assert sum(shares["padding"]) / 90 == sum(shares["cited"]) / 10 == resolved / 10


def test_roles_are_shuffled_in_the_padded_track() -> None:
    library = Library([known(f"n{n}") for n in range(50)], seed=0)
    works = library.works(target("Nobody."), "cs.CL", [reference(n) for n in range(50)], ())
    places = [n for n, w in enumerate(works) if w["role"] == "cited"]
    # Fifty of 100 places, drawn evenly: their mean is 49.5 with a deviation of about 2.9.
    assert 38 < sum(places) / 50 < 61


def test_items_of_a_round_list_their_works(tmp_path: Path) -> None:
    papers = Papers(tmp_path)
    papers.note("known", title="A work that is known", abstract="It is known.", published="2020")
    papers.note("beside", title="A work beside it", abstract="It is beside.", published="2021")
    papers.add(
        "p", "2024-05",
        sections=usual("p") | {"Related Work": f"As Weir (2001) and Lim (2003) said. {SHORT}"},
        references=[("A Work That is Known", "Weir", 2001), ("A lost work", "Lim", 2003),
                    ("Cited elsewhere", "Dorn", 2004)],
    )  # fmt: skip
    items = papers.build()
    (row,) = items.tasks["related_work"]
    found = {work["title"]: (work["work_id"], work["role"]) for work in row["works"]}
    assert found["A lost work"] == (None, "cited")
    assert found["A work beside it"] == ("beside", "padding")
    assert "Cited elsewhere" not in found
