"""Prompt templates: filled once a slot, hashed, and refused when they lose a text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vivavoce.tasks.writing
from vivavoce.errors import InputError
from vivavoce.tasks import prompting
from vivavoce.tasks.prompting import PromptSet, fence_mark, folder_at, load_prompts

TEMPLATE = "Read {{ content }} and {{ title }}; write {{ words }} words."


def templates(folder: Path, **texts: str) -> PromptSet:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md.j2").write_text(text, encoding="utf-8")
    return load_prompts(folder)


def test_slots_are_filled_and_found(tmp_path: Path) -> None:
    prompts = templates(tmp_path, ask=TEMPLATE)
    filled = prompts.render("ask", {"title": "B", "content": "AAA"}, {"words": 10})
    assert filled.text == "Read AAA and B; write 10 words."
    assert filled.spans == {"content": (5, 8), "title": (13, 14)}


@given(content=st.text(), title=st.text())
def test_texts_arrive(tmp_path_factory: pytest.TempPathFactory, content: str, title: str) -> None:
    prompts = templates(tmp_path_factory.getbasetemp() / "any", ask=TEMPLATE)
    filled = prompts.render("ask", {"title": title, "content": content}, {"words": 10})
    assert filled.text == f"Read {content} and {title}; write 10 words."
    for name, text in {"content": content, "title": title}.items():
        start, end = filled.spans[name]
        assert filled.text[start:end] == text


@pytest.mark.parametrize("text", ["{{ title }}", "\ue000content\ue001", "<b>&amp;"])
def test_a_paper_that_looks_like_a_template_is_not_one(tmp_path: Path, text: str) -> None:
    filled = templates(tmp_path, ask=TEMPLATE).render(
        "ask", {"title": "B", "content": text}, {"words": 10}
    )
    assert filled.text == f"Read {text} and B; write 10 words."


@pytest.mark.parametrize(
    ("template", "complaint"),
    [
        ("Read {{ content }}.", "title"),
        ("{{ content }} {{ title }} {{ title }}", "title"),
        ("{{ content | upper }} {{ title }}", "content"),
        ("{{ content[:3] }} {{ title }}", "content"),
        ("{% if false %}{{ content }}{% endif %}{{ title }}", "content"),
        ("{{ content }} {{ title }} {{ abstract }}", "abstract"),
        ("{{ content }} {{ title }} {{ words", "ask.md.j2"),
        ("{{ content }} {{ title }} {{ words + 'a' }}", "ask.md.j2"),
        ("{{ content }} {{ title }} {{ words / 0 }}", "ask.md.j2"),
        ("{{ content }} {{ title }} {{ ''.__class__.__mro__ }}", "ask.md.j2"),
        ("{{ content }} {{ title }} {% for i in range(10**9) %}{% endfor %}", "ask.md.j2"),
        ("{{ content }} {{ title }} {% include 'other.md.j2' %}", "ask.md.j2"),
    ],
)
def test_a_template_that_would_lose_a_text_or_do_harm_is_refused(
    tmp_path: Path, template: str, complaint: str
) -> None:
    prompts = templates(tmp_path, ask=template)
    with pytest.raises(InputError, match=complaint) as caught:
        prompts.render("ask", {"title": "B", "content": "A"}, {"words": 10})
    assert "ask.md.j2" in str(caught.value)


def test_a_missing_template_is_named(tmp_path: Path) -> None:
    prompts = templates(tmp_path, ask=TEMPLATE)
    with pytest.raises(InputError, match=r"other\.md\.j2"):
        prompts.render("other", {}, {})


def test_the_hash_tells_sets_apart_by_name_and_text(tmp_path: Path) -> None:
    first = templates(tmp_path / "1", a="one", b="two")
    same = templates(tmp_path / "2", b="two", a="one")
    (tmp_path / "2" / "notes.txt").write_text("not a template")
    swapped = templates(tmp_path / "3", a="two", b="one")
    assert first.sha256 == same.sha256 == load_prompts(tmp_path / "2").sha256
    assert first.sha256 != swapped.sha256


def test_a_folder_without_templates_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(InputError, match=str(folder)):
            load_prompts(folder)


def test_a_template_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ask.md.j2").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=str(tmp_path)):
        load_prompts(tmp_path)


def test_shipped_templates_have_the_same_place_on_every_machine(tmp_path: Path) -> None:
    shipped = load_prompts(Path(vivavoce.tasks.writing.__path__[0]) / "prompts")
    assert shipped.place == "vivavoce:tasks/writing/prompts"
    assert load_prompts(folder_at(shipped.place)) == shipped
    own = tmp_path / "own"
    own.mkdir()
    (own / "title.md.j2").write_text("{{ content }}", "utf-8")
    assert load_prompts(own).place == str(own)
    assert folder_at(str(own)) == own
    with pytest.raises(InputError, match="not a folder of this package"):
        folder_at("vivavoce:../../etc")


def test_templates_of_a_plug_in_have_the_same_place_on_every_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "viva_dating" / "prompts"
    folder.mkdir(parents=True)
    (folder / "year.md.j2").write_text("{{ content }}", "utf-8")
    monkeypatch.setattr(prompting, "package_folders", lambda: {"viva_dating": folder.parent})
    shipped = load_prompts(folder)
    assert shipped.place == "viva_dating:prompts"
    assert shipped.name is None  # a board does not call them somebody's own
    assert folder_at(shipped.place) == folder
    with pytest.raises(InputError, match="not a folder of this package"):
        folder_at("viva_dating:../elsewhere")


def test_the_mark_of_a_fence_depends_on_all_texts() -> None:
    all_texts = (["a paper", "a table"], ["a paper", "tables"], ["a paper"])
    marks = [fence_mark(texts) for texts in all_texts]
    assert len(set(marks)) == 3
    assert fence_mark(["a paper", "a table"]) == marks[0]
