"""The pages of the annotation app, as somebody without scripts meets them."""

import re
from pathlib import Path

import pytest
from lxml import html as lxml_html
from tests.servers.annotation import (
    ANSWERS,
    EXCLUDE,
    INCLUDE,
    content_of,
    full_content,
    make,
    visitors,
)

from vivavoce.web.annotation.app import guidelines_html
from vivavoce.web.annotation.kinds import KINDS

HOSTILE = "</textarea><script>window.__xss=1</script><img src=x onerror=alert(1)>"


def test_a_person_reads_the_guidelines_and_labels_what_comes(tmp_path: Path) -> None:
    made = make(tmp_path, 2)
    with visitors(made, "ann") as (ann,):
        ann.open("")
        assert "<h1>Guidelines:" in ann.text
        assert f'href="/{ann.link}/next"' in ann.text
        ann.open()
        assert ann.address == f"/{ann.link}/items/1"
        assert "0 of 2 items labelled by you" in ann.text
        ann.send(decision="include", note="a\nnote")
        assert ann.address == f"/{ann.link}/items/2"
        ann.send(decision="exclude")
        assert "You labelled 2 of 2 items." in ann.text
    assert made.said() == [("i0", "A1", INCLUDE), ("i1", "A1", EXCLUDE)]
    assert made.items()["i0"].labels[0].note == "a\nnote"


def test_what_is_missing_is_named_and_what_was_typed_stays(tmp_path: Path) -> None:
    made = make(tmp_path, 1, kind="qa")
    with visitors(made, "ann") as (ann,):
        ann.open()
        ann.send(grounded="yes", note=HOSTILE)
        assert ann.status == 422
        assert "Please answer: Is the answer right according to the table or passage?" in ann.text
        assert re.search(r'name="grounded" value="yes"[^>]* checked', ann.text)
        assert "&lt;/textarea&gt;&lt;script&gt;" in ann.text
        assert made.said() == []
        ann.send(**ANSWERS["qa"])
    assert made.said() == [("i0", "A1", ANSWERS["qa"])]


def test_an_own_label_is_found_and_corrected(tmp_path: Path) -> None:
    made = make(tmp_path, 3)
    with visitors(made, "ann", "ben") as (ann, ben):
        ann.open()
        first = ann.address
        ann.send(decision="include", note="in doubt")
        ann.send(decision="include")
        assert f'href="/{ann.link}/items/2"' in ann.text
        ann.open("/items/2")
        assert f'href="{first}"' in ann.text
        ann.open("/items/1")
        assert "Your label is marked." in ann.text
        assert ">in doubt</textarea>" in ann.text.replace("\n", "")
        assert "Skip for now" not in ann.text
        ann.send(decision="exclude")
        ben.open("/items/1")
        assert ben.status == 404
    assert made.said()[0] == ("i0", "A1", EXCLUDE)


def test_a_skipped_item_comes_back_at_the_end(tmp_path: Path) -> None:
    made = make(tmp_path, 2)
    with visitors(made, "ann") as (ann,):
        ann.open()
        first = ann.address
        ann.send(skip="yes", note="Which table?")
        assert ann.address != first
        ann.send(decision="include")
        assert ann.address == first
        assert "Which table?" in ann.text


def watched_pages(folder: Path, of_ann: str, of_ben: str | None) -> list[str]:
    """Pages that Cem sees after others have labelled the first item."""
    made = make(folder, 3)
    with visitors(made, "ann", "ben", "cem") as (ann, ben, cem):
        ann.open()
        ann.send(decision=of_ann, note=f"because of {of_ann}")
        if of_ben is not None:
            ben.open()
            ben.send(decision=of_ben, note=f"because of {of_ben}")
        cem.open("")
        cem.open()
        cem.send(decision="include")
        cem.open("/items/1")
        cem.open("/items/2")
        return [page.replace(cem.link, "LINK") for page in cem.pages]


@pytest.mark.parametrize(
    "worlds",
    [[("include", None), ("exclude", None)], [("include", "exclude"), ("exclude", "include")]],
    ids=["second", "third"],
)
def test_a_page_shows_nobodys_labels(tmp_path: Path, worlds: list[tuple[str, str | None]]) -> None:
    """The same campaign twice: only what others said differs, and the number of a page's link."""
    seen = []
    for number, world in enumerate(worlds):
        folder = tmp_path / str(number)
        folder.mkdir()
        seen.append(watched_pages(folder, *world))
    assert seen[0] == seen[1]
    assert "/items/1" in seen[0][1]
    assert not any("because of" in page for page in seen[0])


def test_names_of_contestants_and_hidden_parts_are_in_no_page(tmp_path: Path) -> None:
    content = content_of("preference", 0) | {"names": {"a": "maker/one", "b": "reference"}}
    content |= {"group": "secret group", "suggestion": {"verdict": "a"}}
    made = make(tmp_path, [{"id": "x", "content": content}], kind="preference")
    with visitors(made, "ann") as (ann,):
        ann.open()
        assert "Left 0" in ann.text
        assert not re.search("maker/one|secret group|suggestion", ann.text)


def test_hostile_texts_are_text(tmp_path: Path) -> None:
    content = content_of("distractors", 0) | {"demand": HOSTILE + "\u202e\x00"}
    content["candidate"] = {"title": HOSTILE, "abstract": HOSTILE, "link": "javascript:alert(1)"}
    made = make(tmp_path, [{"id": HOSTILE, "content": content}])
    with visitors(made, "ann") as (ann,):
        ann.open()
        assert ann.status == 200
        assert not re.search("<script>window|<img|javascript:", ann.text)
        assert "⟨U+202E⟩⟨U+0000⟩" in ann.text
        assert not {"\u202e", "\x00"} & set(ann.text)


def test_guidelines_are_markdown_without_html_and_images() -> None:
    text = "## What *you* do\r\n\r\nRead **twice**.\n\n- one\n- two\n\n1. first\n\u202e"
    page = lxml_html.fragment_fromstring(guidelines_html(text), create_parent="div")
    assert [block.tag for block in page] == ["h2", "p", "ul", "ol"]
    assert page[0].text_content() == "What you do"
    assert "⟨U+202E⟩" in page.text_content()
    hostile = guidelines_html(
        f"{HOSTILE}\n\n<b>x</b> [x](javascript:alert(1)) ![x](https://x.example/i.png) `<i>`"
    )
    assert not re.search(r"<script|<img|<b>|<i>|href=\"javascript", hostile)


def test_keys_and_files_beside_the_pages_are_there(tmp_path: Path) -> None:
    static = Path(__file__).parents[3] / "src/vivavoce/web/annotation/static"
    made = make(tmp_path, 1, kind="demands")
    with visitors(made, "ann") as (ann,):
        ann.open()
        keys = re.findall(r'data-key="(.)"', ann.text)
        assert set("1q2w3e4r5tns") <= set(keys)
        for name in ("annotate.css", "annotate.js", "icon.svg"):
            assert ann.http.get(f"/static/{name}").text == (static / name).read_text("utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_shown_with_all_its_parts_and_labelled(tmp_path: Path, kind: str) -> None:
    rows = [{"id": "full", "content": full_content(kind)}, {"id": "x", "content": {}}]
    rows[1]["content"] = content_of(kind, 1)
    made = make(tmp_path, rows, kind=kind)
    with visitors(made, "ann") as (ann,):
        ann.open("")
        ann.open()
        for drawn in KINDS[kind].parts:
            if drawn.view and drawn.view != "header":
                assert f'id="part-{drawn.name}">{drawn.title}<' in ann.text
        ann.send()  # nothing was chosen
        assert ann.status == 422
        ann.send(**ANSWERS[kind])
        ann.send(**ANSWERS[kind])
        assert "Nothing left for now" in ann.text
        for page in ann.pages:
            check_page(page)


def check_page(text: str) -> None:
    page = lxml_html.fromstring(text)
    assert text.startswith("<!doctype html>")
    assert page.get("lang") == "en"
    assert len(page.xpath("//h1")) == 1, text
    assert len(page.xpath("//main")) == 1
    ids = page.xpath("//@id")
    assert len(ids) == len(set(ids)), ids
    for control in page.xpath("//input[not(@type='hidden')] | //textarea"):
        name = control.get("id")
        labelled = page.xpath("//label[@for=$name]", name=name) if name else []
        assert labelled or control.xpath("ancestor::label"), lxml_html.tostring(control)
    for reference in page.xpath("//@aria-labelledby | //@aria-describedby"):
        assert reference in ids
    for table in page.xpath("//table"):
        assert table.xpath(".//thead//th[@scope='col']")
    # The policy forbids all of these.
    assert not page.xpath(
        "//@style | //style | //script[not(@src)] | //@*[starts-with(name(),'on')]"
    )
