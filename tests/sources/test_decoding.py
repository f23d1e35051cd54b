"""Text of catalogues: entities, tags and TeX as the characters that they stand for."""

import json
from pathlib import Path

import pytest
from tests.servers.commands import viva_here

from vivavoce.sources.catalogues.crossref import read_work
from vivavoce.sources.catalogues.decoding import decode_text
from vivavoce.sources.notices import status_of


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Research &amp;amp; Development", "Research & Development"),
        ("p &lt; 0.05 &#8211; B&#x2019;s", "p < 0.05 – B’s"),
        ("Cats &lt;i&gt;Felis&lt;/i&gt;", "Cats Felis"),
        ("10<sup>6</sup> cells and H<sub>2</sub>O", "10^6 cells and H2O"),
        ("10<jats:sup>−3</jats:sup>, 101<sub>2</sub> and x<sup>th</sup>", "10^−3, 101_2 and xth"),
        (
            "by <mml:math><mml:msup><mml:mn>10</mml:mn><mml:mn>8</mml:mn></mml:msup></mml:math>!",
            "by 10^8!",
        ),
        ("<inline-formula><tex-math>$k$</tex-math></inline-formula> ponds", "$k$ ponds"),
        ("AT&T and Q&A stay", "AT&T and Q&A stay"),
        ("eﬃcient dif\u00adfu\u200bsion in work\u200dflows", "efficient diffusion in workflows"),
        ("on <font color='red'>red</font> otters", "on red otters"),
        ("<![CDATA[Salt & spray]]> on<?A3B2 tf='pi'?> lamps<!-- 2 -->", "Salt & spray on lamps"),
        (r"``Fast''~nets --- {\it why} 5\%", "“Fast” nets — why 5%"),
        ("``Fast'' and --fast without TeX stay", "``Fast'' and --fast without TeX stay"),
        (r"at~\url{https://o.example/~eva/a\_b} now", "at https://o.example/~eva/a_b now"),
        (r"{\'E}tale \"Uber-Gr\"o{\ss}e", "Étale Über-Größe"),
        (r"Erd\H{o}s, \v{S}idak, Ho\v cevar, \O stergaard", "Erdős, Šidak, Hočevar, Østergaard"),
        (r"na\"{\i}ve and Fran{\c c}ois", "naïve and François"),
        (r"{BERT} for R\&D: \emph{why}?", "BERT for R&D: why?"),
        (r"Sets $\{a\}_{i}$ with $\'x$ and 5\% more", r"Sets $\{a\}_{i}$ with $\'x$ and 5% more"),
        ("{a, b} and x_{2} stay", "{a, b} and x_{2} stay"),
        ("a < b and c > d", "a < b and c > d"),
    ],
)
def test_what_characters_a_text_stands_for(text: str, plain: str) -> None:
    assert decode_text(text) == plain
    assert decode_text(plain) == plain


@pytest.mark.timeout(20)
@pytest.mark.parametrize("unit", ["&amp;", "<i ", "{", "\\'", "{\\'e", "$", "<sup>1", "\\emph{"])
def test_long_texts_take_linear_time(unit: str) -> None:
    decode_text(unit * 50_000)


ROW = {
    "id": "0704.0001",
    "title": r"R\&amp;D of {\'E}tale otters",
    "abstract": r"We film na\"ive otters &amp; seals, $p < 3$.",
    "authors": r"J\"org M\"uller",
    "journal-ref": r"J. Stat. &amp; \'Econ. 3",
    "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
    "categories": "cs.CL",
    "update_date": "2007-04-03",
}


@pytest.mark.parametrize(
    ("title", "subtitle", "whole"),
    [
        ("Otters:", "by night", "Otters: by night"),
        ("Voles: by day", "By day", "Voles: by day"),
        ("", "By day", "By day"),
    ],
)
def test_a_subtitle_stands_once_behind_its_title(title: str, subtitle: str, whole: str) -> None:
    work = read_work({"DOI": "10.5555/1", "title": [title], "subtitle": [subtitle]})
    assert work.title == whole


def test_a_grade_in_place_of_a_suffix_is_no_part_of_a_name() -> None:
    roe = {"given": "Ana", "family": "Roe", "suffix": "Senior Member, IEEE"}
    authors = [roe, {"given": "Bo", "family": "Oz", "suffix": "Jr."}]
    work = read_work({"DOI": "10.5555/1", "title": ["Otters"], "author": authors})
    assert [author.name for author in work.authors] == ["Ana Roe", "Bo Oz Jr."]


def test_every_field_of_a_catalogue_is_decoded(tmp_path: Path) -> None:
    snapshot = tmp_path / "arxiv-metadata-oai-snapshot.json"
    snapshot.write_text(json.dumps(ROW) + "\n", "utf-8")
    work = {
        "DOI": "10.1000/1",
        "title": ["Cats &lt;i&gt;Felis&lt;/i&gt;"],
        "subtitle": ["a study &amp; more"],
        "abstract": "<jats:p>10<jats:sup>6</jats:sup> cats &amp;amp; dogs.</jats:p>",
        "container-title": ["Cats &amp; Dogs"],
        "author": [{"given": "Zo&#235;", "family": "Bell"}],
    }
    crossref = tmp_path / "cats.crossref.json"
    answer = {"status": "ok", "message": work}
    crossref.write_text(json.dumps(answer), "utf-8")
    for kind, file in (("snapshot", snapshot), ("crossref", crossref)):
        viva_here("ingest", kind, file, "--corpus", tmp_path / "corpus")
    exported = {}
    for table in ("papers", "authorships"):
        out = tmp_path / f"{table}.jsonl"
        viva_here("corpus", "export", table, "--corpus", tmp_path / "corpus", "--out", out)
        exported[table] = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    fields = {paper["title"]: (paper["abstract"], paper["venue"]) for paper in exported["papers"]}
    assert fields == {
        "R&D of Étale otters": ("We film naïve otters & seals, $p < 3$.", "J. Stat. & Écon. 3"),
        "Cats Felis: a study & more": ("10^6 cats & dogs.", "Cats & Dogs"),
    }
    assert {row["name"] for row in exported["authorships"]} == {"Jörg Müller", "Zoë Bell"}


@pytest.mark.parametrize(
    ("title", "abstract", "status"),
    [
        ("RETRACTED ARTICLE: On otters", "", "retracted"),
        ("[Retracted] On otters", "", "retracted"),
        ("Author Correction: On otters", "", "corrected"),
        ("Corrigendum to “On otters”", "", "corrected"),
        ("Editorial expression of concern: On otters", "", "doubted"),
        ("On otters", "This paper has been withdrawn by its author.", "withdrawn"),
        ("Correction of bias in the counts of otters", "", None),
        ("Errata in early printed books", "", None),
    ],
)
def test_notices_begin_with_certain_words(title: str, abstract: str, status: str | None) -> None:
    assert status_of(title, abstract) == status


@pytest.mark.parametrize(
    ("updates", "status"),
    [
        ({"update-to": [{"type": "retraction"}]}, "retracted"),
        ({"updated-by": [{"type": "correction"}, {"type": "withdrawal"}]}, "withdrawn"),
        ({"updated-by": [{"type": "correction"}]}, None),
        ({"update-to": [{"type": "correction"}]}, "corrected"),
    ],
)
def test_crossref_marks_notices_and_works_that_were_withdrawn(
    updates: dict[str, object], status: str | None
) -> None:
    assert read_work({"DOI": "10.1000/1", "title": ["Cats"], **updates}).withdrawn == status
