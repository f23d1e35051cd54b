"""Stack Exchange dumps: questions, accepted answers and the papers that they link to.

The rows are typed by hand from the published description of the data dump ("Database schema
documentation for the public data dump and SEDE", Meta Stack Exchange); no real dump was tried.
"""

from __future__ import annotations

import time
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from vivavoce.corpus import ingest, load_corpus
from vivavoce.records import Document, Fault
from vivavoce.sources import ReadOptions, get_source, kinds_without_papers
from vivavoce.sources.leaderboards.qa_site import SOURCE, paper_links, read_body

QUESTION = {
    "Id": "5",
    "PostTypeId": "1",
    "AcceptedAnswerId": "7",
    "CreationDate": "2016-08-02T15:39:14.947",
    "Score": "9",
    "ViewCount": "10",
    "Body": (
        "<p>What is <em>back-propagation</em>?</p>\n\n<p>See "
        '<a href="https://arxiv.org/abs/1502.05767v4">Automatic differentiation in machine '
        'learning</a> &amp; <a href="/q/3">this</a>.</p>'
    ),
    "OwnerUserId": "8",
    "Title": "How does it work? x < y",
    "Tags": "<neural-networks><training>",
    "AnswerCount": "2",
    "ContentLicense": "CC BY-SA 3.0",
}
OTHER = {
    "Id": "6",
    "PostTypeId": "2",
    "ParentId": "5",
    "CreationDate": "2016-08-02T16:00:00.000",
    "Body": "<p>Not accepted.</p>",
    "ContentLicense": "CC BY-SA 3.0",
}
ANSWER = {
    "Id": "7",
    "PostTypeId": "2",
    "ParentId": "5",
    "CreationDate": "2016-08-03T15:39:14.947",
    "Body": (
        "<p>By the chain rule, doi <a href='https://doi.org/10.1038/323533A0'>here</a>:</p>"
        "<pre><code>a = 1\n  b = 2\n</code></pre><ul><li>one</li><li>two https://aclanthology.org/"
        "P18-1001/.</li></ul><p>Again https://arxiv.org/pdf/1502.05767.</p>"
    ),
    "ContentLicense": "CC BY-SA 4.0",
}
OPEN = {"Id": "8", "PostTypeId": "1", "Title": "No answer", "Body": "<p>?</p>"}
WIKI = {"Id": "9", "PostTypeId": "5", "Body": "about a tag"}


def dump(folder: Path, *rows: dict[str, str], name: str = "Posts.xml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    tag = "posts" if name == "Posts.xml" else "postlinks"
    lines = [
        "<row " + " ".join(f"{key}={quoteattr(value)}" for key, value in row.items()) + " />"
        for row in rows
    ]
    text = '<?xml version="1.0" encoding="utf-8"?>\n<{0}>\n  {1}\n</{0}>'
    path.write_text(text.format(tag, "\n  ".join(lines)), "utf-8")
    return path


def read(path: Path) -> list[Document | Fault]:
    return [found for piece in SOURCE.pieces(path) for found in SOURCE.read(piece, ReadOptions())]


def thread(path: Path) -> Document:
    (found,) = read(path)
    assert isinstance(found, Document), found
    return found


SITE = "ai.stackexchange.com"


def test_a_question_and_its_accepted_answer_make_a_document(tmp_path: Path) -> None:
    found = thread(dump(tmp_path / SITE, QUESTION, OTHER, ANSWER, OPEN, WIKI))
    assert (found.key, found.title) == ("ai.stackexchange.com:5", "How does it work? x < y")
    assert found.source_url == "https://ai.stackexchange.com/questions/5"
    assert (found.published, found.venue) == ("2016-08-02", SITE)
    assert found.categories == ("neural-networks", "training")
    assert found.licence == "CC BY-SA 3.0; CC BY-SA 4.0"
    assert [(s.heading, s.text) for s in found.sections] == [
        (
            "Question",
            "What is back-propagation?\n\n"
            "See Automatic differentiation in machine learning & this.",
        ),
        (
            "Accepted answer",
            "By the chain rule, doi here:\n\na = 1\n  b = 2\n\none\n\n"
            "two https://aclanthology.org/P18-1001/.\n\n"
            "Again https://arxiv.org/pdf/1502.05767.",
        ),
    ]


def test_its_references_are_the_papers_linked_to_and_linked_questions(tmp_path: Path) -> None:
    folder = tmp_path / SITE
    link = {"Id": "1", "CreationDate": "2017-01-01T00:00:00.000", "LinkTypeId": "3"}
    other = {**link, "PostId": "5", "RelatedPostId": "3"}
    dump(folder, other, other, {**other, "PostId": "99"}, name="PostLinks.xml")
    found = thread(dump(folder, QUESTION, ANSWER)).references
    assert [(r.ordinal, r.arxiv_id, r.doi, r.title) for r in found] == [
        (0, "1502.05767", None, "Automatic differentiation in machine learning"),
        (1, None, "10.1038/323533a0", None),  # "here" is no title
        (2, None, None, None),
        (3, None, None, None),
    ]
    assert found[2].raw == "https://aclanthology.org/P18-1001/"
    assert found[3].raw == "https://ai.stackexchange.com/questions/3"


def test_newer_dumps_write_tags_with_bars(tmp_path: Path) -> None:
    found = thread(dump(tmp_path / SITE, {**QUESTION, "Tags": "|a-b|c++|"}, ANSWER))
    assert found.categories == ("a-b", "c++")


def test_an_answer_may_stand_before_its_question(tmp_path: Path) -> None:
    early = {**QUESTION, "AcceptedAnswerId": "4"}
    found = thread(dump(tmp_path / SITE, {**ANSWER, "Id": "4"}, early))
    assert found.key == "ai.stackexchange.com:5"


def test_two_questions_may_not_share_an_answer(tmp_path: Path) -> None:
    found = read(dump(tmp_path / SITE, QUESTION, {**QUESTION, "Id": "6"}, ANSWER))
    assert [item.key for item in found if isinstance(item, Document)] == [f"{SITE}:5"]
    (fault,) = (item for item in found if isinstance(item, Fault))
    assert fault.where == f"{SITE}/Posts.xml:6"
    (alone,) = read(dump(tmp_path / SITE, {**QUESTION, "Id": "6"}, ANSWER))
    assert isinstance(alone, Fault)
    assert "belongs to another" in alone.reason


def test_a_part_reads_its_own_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = dump(
        tmp_path / SITE,
        *({**QUESTION, "Id": f"{n}", "AcceptedAnswerId": f"{n + 1}"} for n in range(1, 40, 2)),
        *({**ANSWER, "Id": f"{n + 1}", "ParentId": f"{n}"} for n in range(1, 40, 2)),
    )
    whole = read(path)
    assert len(whole) == 20
    monkeypatch.setattr("vivavoce.sources.leaderboards.qa_site._BYTES_PER_PART", 4_000)
    assert len(list(SOURCE.pieces(path))) > 1

    def key(found: Document | Fault) -> str:
        assert isinstance(found, Document)
        return found.key

    assert sorted(read(path), key=key) == sorted(whole, key=key)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not well-formed"),
        ("<posts><row Id='1'", "not well-formed"),
        ('<!DOCTYPE p [<!ENTITY a "b">]><posts><row Id="&a;"/></posts>', "document type"),
        (
            f"<!--{'x' * 100_000}--><!DOCTYPE p SYSTEM 'file:///etc/passwd'><posts/>",
            "document type",
        ),
        ('<posts><row Id="five" PostTypeId="1"/></posts>', "no number"),
        ('<posts><row Id="5" PostTypeId="1" AcceptedAnswerId="6"/></posts>', "answer 6 is not"),
        ('<posts><row Id="5" PostTypeId="1" AcceptedAnswerId=""/></posts>', "answer  is not"),
    ],
)
def test_what_cannot_be_read_is_a_fault(tmp_path: Path, text: str, reason: str) -> None:
    folder = tmp_path / SITE
    folder.mkdir()
    (folder / "Posts.xml").write_text(text)
    found = read(folder / "Posts.xml")
    assert [reason in fault.reason for fault in found if isinstance(fault, Fault)] == [True]


def test_what_stands_before_the_damage_is_read(tmp_path: Path) -> None:
    path = dump(tmp_path / SITE, QUESTION, ANSWER)
    path.write_text(path.read_text().replace("</posts>", "<row Id="))
    document, fault = read(path)
    assert isinstance(document, Document)
    assert isinstance(fault, Fault)


@pytest.mark.parametrize(
    "html",
    [
        "<b>" * 100_000 + "x",
        "<p>" * 100_000,
        "<a href='http://arxiv.org/abs/1502.05767'>" * 20_000,
        "http://" * 200_000,
        "&lt;" * 300_000,
        "<table><tr>" * 50_000,
    ],
)
def test_hostile_bodies_take_little_time(html: str) -> None:
    started = time.process_time()
    list(paper_links([read_body(html)]))
    assert time.process_time() - started < 5


def test_bodies_that_are_not_html_are_text() -> None:
    assert read_body("").text == ""
    assert read_body("<!-- nothing -->").text == ""
    assert read_body("plain < text & more").text.startswith("plain")
    assert read_body("<script>alert(1)</script><p>a<br>b</p>").text == "a b"


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://arxiv.org/pdf/2001.00001v2.pdf", "2001.00001"),
        ("http://export.arxiv.org/abs/hep-th/9901001", "hep-th/9901001"),
        ("https://dx.doi.org/10.1145/1.2", "10.1145/1.2"),
        ("https://example.org/arxiv.org/abs/2001.00001", None),
        ("ftp://arxiv.org/abs/2001.00001", None),
        ("https://[", None),
        ("javascript:alert(1)", None),
    ],
)
def test_papers_are_told_by_their_address(address: str, found: str | None) -> None:
    body = read_body(f'<a href="{address}">x</a>')
    assert [r.arxiv_id or r.doi for r in paper_links([body])] == ([found] if found else [])


def test_a_question_is_never_a_target(tmp_path: Path) -> None:
    """With an abstract it would be whole: text, title and date are there."""
    long = {**ANSWER, "Body": "<p>" + "word " * 500 + "</p>"}
    dump(tmp_path / "in" / SITE, QUESTION, long)
    report = ingest("qa_site", tmp_path / "in", tmp_path / "corpus")
    assert report.read == 1
    (paper,) = load_corpus(tmp_path / "corpus").papers
    assert paper.gates == ("not_a_paper", "no_abstract")
    assert "qa_site" in kinds_without_papers()


def test_a_change_in_either_file_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / SITE
    path = dump(folder, QUESTION, ANSWER)
    assert SOURCE.parts is not None
    assert [part.name for part in SOURCE.parts(path)] == ["Posts.xml"]
    dump(folder, name="PostLinks.xml")
    assert [part.name for part in SOURCE.parts(path)] == ["Posts.xml", "PostLinks.xml"]


def test_only_posts_of_a_dump_are_taken(tmp_path: Path) -> None:
    assert SOURCE.matches(dump(tmp_path / SITE, QUESTION))
    assert not SOURCE.matches(dump(tmp_path / SITE, name="PostLinks.xml"))
    (tmp_path / "Posts.xml").write_text("<other/>")
    assert not SOURCE.matches(tmp_path / "Posts.xml")
    assert get_source("qa_site") is SOURCE
