"""Which paper a text speaks of: arXiv, Anthology and DOI."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import InputError
from vivavoce.text.identifiers import acl_year, arxiv_month, find_acl_id, find_arxiv_id, find_doi

MONTHS = st.integers(1, 12).map("{:02d}".format)
VERSIONS = st.none() | st.integers(1, 99).map("v{}".format)
NEW_IDS = st.builds(
    "{:02d}{}.{}".format,
    st.integers(7, 59),
    MONTHS,
    st.integers(0, 9999).map("{:04d}".format) | st.integers(0, 99999).map("{:05d}".format),
)
OLD_IDS = st.builds(
    "{}/{}{}{:03d}".format,
    st.sampled_from(["hep-th", "math", "math-ph", "cs", "cond-mat", "q-bio"]),
    st.sampled_from(["91", "99", "00", "07"]),
    MONTHS,
    st.integers(0, 999),
)
AROUND = st.sampled_from(
    [
        "{}",
        "arXiv:{}",
        "arXiv: {} [cs.CL]",
        "arXiv preprint arXiv:{}.",
        "https://arxiv.org/abs/{}",
        "https://export.arxiv.org/html/{}/",
        "papers/{}.tei.xml",
        "10.48550/arXiv.{}",
    ]
)


@given(NEW_IDS | OLD_IDS, VERSIONS, AROUND)
def test_an_arxiv_id_is_found_where_it_stands(name: str, version: str | None, around: str) -> None:
    assert find_arxiv_id(around.format(name + (version or ""))) == (name, version)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1410.5401v2.tei.xml", ("1410.5401", "v2")),
        ("2101.12345", ("2101.12345", None)),
        ("math.GT/0309136", ("math/0309136", None)),
        ("hep-th9901001v2.pdf", ("hep-th/9901001", "v2")),
        ("see 1301.3781, arXiv:1410.5401", ("1410.5401", None)),
    ],
)
def test_subject_class_and_version_are_no_part_of_an_arxiv_identity(
    text: str, expected: tuple[str, str | None]
) -> None:
    assert find_arxiv_id(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "10.1410/5401.12",
        "$1410.5401",
        "1413.5401",  # no month 13
        "0600.0001",  # no month 0, and before 2007
        "1410.54011234",
        "physics/9900001",  # no month 0
        "",
    ],
)
def test_other_numbers_are_not_arxiv_ids(text: str) -> None:
    assert find_arxiv_id(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://www.aclweb.org/anthology/C14-1220", "C14-1220"),
        ("https://aclanthology.org/p18-1001/", "P18-1001"),
        ("P18-1001v2.pdf", "P18-1001"),
        ("2020.acl-main.207", "2020.acl-main.207"),
        ("s2orc_2020.acl-main.207.tei.xml", "2020.acl-main.207"),
        ("L04-1.151", "L04-1151"),
        ("W17-77.1", "W17-7701"),
    ],
)
def test_an_anthology_id_is_found_in_both_styles(text: str, expected: str) -> None:
    assert find_acl_id(text) == expected


@pytest.mark.parametrize("text", ["p18-1001", "XP18-1001", "P18-10012", "2020.207", "G18-1001", ""])
def test_other_codes_are_not_anthology_ids(text: str) -> None:
    assert find_acl_id(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.18653/v1/P18-1001", "10.18653/v1/p18-1001"),
        ("https://doi.org/10.1162/tacl_a_00123.", "10.1162/tacl_a_00123"),
        ("http://dx.doi.org/10.1002/%28SICI%291", "10.1002/(sici)1"),
        ("(doi: 10.1000/abc(1)).", "10.1000/abc(1)"),
        (
            "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
            "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o",
        ),
        ("10.1/short", None),
        ("0.26615/978-954", None),
    ],
)
def test_a_doi_comes_without_resolver_and_sentence(text: str, expected: str | None) -> None:
    assert find_doi(text) == expected


@given(st.from_regex(r"10\.[0-9]{4,6}/[a-z0-9][a-z0-9._;()/-]{0,20}[a-z0-9]", fullmatch=True))
def test_a_clean_doi_is_its_own_reading(doi: str) -> None:
    if not doi.endswith(".pdf"):
        assert find_doi(doi) == find_doi(f"https://doi.org/{doi}") == doi


@pytest.mark.parametrize(
    ("name", "expected"),
    [("1410.5401", "2014-10"), ("hep-th/9901001", "1999-01"), ("math.GT/0309136", "2003-09")],
)
def test_an_arxiv_id_tells_its_month(name: str, expected: str) -> None:
    assert arxiv_month(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("P18-1001", "2018"), ("2020.acl-main.207", "2020"), ("W00-01.1", "2000")],
)
def test_an_anthology_id_tells_its_year(name: str, expected: str) -> None:
    assert acl_year(name) == expected


def test_what_is_no_id_has_no_date() -> None:
    with pytest.raises(InputError, match="not an arXiv id"):
        arxiv_month("10.1410/5401.12")
    with pytest.raises(InputError, match="not an Anthology id"):
        acl_year("see P18-1001")


@given(st.text())
def test_any_text_gets_an_answer(text: str) -> None:
    found = find_arxiv_id(text)
    assert found is None or arxiv_month(found[0])
    name = find_acl_id(text)
    assert name is None or acl_year(name)
    doi = find_doi(text)
    assert doi is None or doi == doi.lower()


@pytest.mark.data
def test_anthology_ids_agree_with_the_dois_beside_them(data_dir: Path) -> None:
    import pyarrow.parquet as pq

    table = pq.read_table(data_dir / "acl" / "acl_upto2022.parquet", columns=["id", "doi"])
    ids = [find_acl_id(name) for name in table["id"].to_pylist()]
    assert None not in ids
    assert len(set(ids)) == len(ids)
    dois = [find_acl_id(doi) if doi else None for doi in table["doi"].to_pylist()]
    pairs = [(name, other) for name, other in zip(ids, dois, strict=True) if other]
    assert len(pairs) > 20_000
    # One record of the file carries the DOI of its neighbour.
    assert [pair for pair in pairs if pair[0] != pair[1]] == [("W18-6482", "W18-6481")]


@pytest.mark.parametrize(
    ("address", "doi"),
    [
        (
            "https://link.springer.com/chapter/10.1007%2F978-3-030-01234-5_1",
            "10.1007/978-3-030-01234-5_1",
        ),
        ("https://dl.acm.org/doi/pdf/10.1145/3292500.3330701", "10.1145/3292500.3330701"),
        (
            "https://www.biorxiv.org/content/10.1101/2020.01.01.123456v1.full.pdf",
            "10.1101/2020.01.01.123456",
        ),
        (
            "https://www.frontiersin.org/articles/10.3389/fnins.2019.00123/full",
            "10.3389/fnins.2019.00123",
        ),
        (
            "https://iopscience.iop.org/article/10.1088/1742-5468/ab1234/meta",
            "10.1088/1742-5468/ab1234",
        ),
        ("https://www.nature.com/articles/s41586-020-2649-2", "10.1038/s41586-020-2649-2"),
        # Outside of an address such endings belong to the DOI.
        ("10.1000/journal/full", "10.1000/journal/full"),
        ("https://www.nature.com/nature/volumes/12", None),
    ],
)
def test_dois_are_read_out_of_the_addresses_of_publishers(address: str, doi: str | None) -> None:
    assert find_doi(address) == doi
