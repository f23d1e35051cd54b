"""What is remembered of texts from build to build, and that no round shows whether it was."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.writing.corpora import Papers, usual, words

from vivavoce.corpus import Corpus, load_corpus, verify_corpus
from vivavoce.records import Section
from vivavoce.rounds.updating import update_round
from vivavoce.store import hash_tree, lock, read_sealed, write_sealed
from vivavoce.tasks import build_round, builders
from vivavoce.tasks.writing.items import papers as memo_module
from vivavoce.tasks.writing.items.inputs import TASKS, PaperText
from vivavoce.tasks.writing.items.papers import FOLDER, Exposure, Memo, expose, key_of, make_target

PAPER = PaperText(
    "p",
    "2024-05-06",
    "The matter of p",
    words("summary", 50),
    (
        Section(0, 1, "Introduction", "introduction", words("opening", 50)),
        Section(1, 1, "Method", "method", words("middle", 50)),
    ),
)


class Asked(Memo):
    """A memo that tells whether its folder holds a paper."""

    def knows(self, paper: PaperText) -> bool:
        return key_of(paper) in self._read(key_of(paper)[0])


@pytest.fixture
def memo(tmp_path: Path) -> Asked:
    """A memo that was asked for one paper and kept."""
    made = Asked(tmp_path)
    made.exposures(PAPER)
    made.save()
    return made


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Six papers, of which one repeats most of its abstract, and one has no related work."""
    papers = Papers(tmp_path_factory.mktemp("memo"))
    for month in range(1, 5):
        papers.add(f"p{month}", f"2024-0{month}-02")
    leaky = usual("leaky")
    leaky["Method"] += " " + words("leakysummary", 40)
    papers.add("leaky", "2024-05-02", sections=leaky)
    bare = {name: text for name, text in usual("bare").items() if name != "Related Work"}
    bare["Method"] = words("baremiddle", 300)
    papers.add("bare", "2024-06-02", sections=bare)
    return papers.corpus()


def spec(end: str = "2025-01-01", max_overlap: float = 0.2) -> dict[str, object]:
    window = {"start": "2024-01-01", "end": end}
    opening = {"id": "r", "window": window, "families": ["writing"]}
    return {"round": opening, "writing": {"max_overlap": max_overlap}}


def round_of(corpus: Corpus, out: Path, max_overlap: float = 0.2) -> dict[str, str]:
    """The hashes of a round's files."""
    shutil.rmtree(out, ignore_errors=True)
    build_round(corpus.folder, spec(max_overlap=max_overlap), out)
    return hash_tree(out)


def test_a_paper_is_compared_once_and_then_remembered(memo: Asked, tmp_path: Path) -> None:
    assert memo.knows(PAPER)
    assert Memo(tmp_path).exposures(PAPER) == {task: expose(task, PAPER) for task in TASKS}


def test_what_is_remembered_can_be_worked_out_by_hand(tmp_path: Path) -> None:
    # The abstract has 50 words, so 38 runs of 13. The method repeats the first 14: 2 of the runs.
    opening = " ".join(PAPER.abstract.split()[:14])
    method = replace(PAPER.sections[1], text=f"{opening} {PAPER.sections[1].text}")
    found = Memo(tmp_path).exposures(replace(PAPER, sections=(PAPER.sections[0], method)))
    assert replace(found["abstract"]["base"], retold=None) == Exposure(2 / 38, None)
    assert replace(found["abstract"]["title_only"], retold=None) == Exposure(0.0, None)
    assert found["related_work"] == {}
    # A title of four words has no run.
    assert found["title"]["base"] == Exposure(None, None)


def test_id_and_date_are_no_part_of_a_text(memo: Asked) -> None:
    assert memo.knows(replace(PAPER, paper_id="q", published="2020"))


@pytest.mark.parametrize(
    "other",
    [
        replace(PAPER, title="Another matter"),
        replace(PAPER, abstract="Shorter."),
        replace(PAPER, sections=PAPER.sections[:1]),
        replace(PAPER, sections=(PAPER.sections[0], replace(PAPER.sections[1], level=2))),
        replace(PAPER, sections=(PAPER.sections[0], replace(PAPER.sections[1], number="1.1"))),
        replace(PAPER, sections=(PAPER.sections[0], replace(PAPER.sections[1], role="appendix"))),
    ],
    ids=["title", "abstract", "sections", "level", "number", "role"],
)
def test_another_text_is_another_entry(memo: Asked, other: PaperText) -> None:
    assert not memo.knows(other)


def test_another_rule_remembers_nothing(memo: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memo_module, "_RULE_MODULES", memo_module._RULE_MODULES[1:])
    memo_module.rule.cache_clear()
    assert not memo.knows(PAPER)
    monkeypatch.undo()
    memo_module.rule.cache_clear()
    assert memo.knows(PAPER)


@given(
    title=st.text(st.characters(exclude_categories=()), max_size=20),
    abstract=st.text("ab .\n", max_size=300),
    text=st.text("ab .\n", max_size=300),
)
def test_any_text_comes_back_as_it_was_found(
    tmp_path_factory: pytest.TempPathFactory, title: str, abstract: str, text: str
) -> None:
    sections = (replace(PAPER.sections[0], text=text), PAPER.sections[1])
    paper = replace(PAPER, title=title, abstract=abstract, sections=sections)
    folder = tmp_path_factory.mktemp("any")
    first = Memo(folder)
    expected = {task: expose(task, paper) for task in TASKS}
    assert first.exposures(paper) == expected
    first.save()
    assert Asked(folder).knows(paper)
    assert Memo(folder).exposures(paper) == expected


def test_the_share_allowed_is_no_part_of_what_is_remembered(memo: Asked) -> None:
    exposed = {"base": Exposure(0.3, None), "leave_one_out": Exposure(0.5, None)}
    strict = make_target("title", PAPER, exposed, 0.2)
    lenient = make_target("title", PAPER, exposed, 0.4)
    assert strict is not None
    assert lenient is not None
    assert set(strict.left_out) == {"base", "random", "coauthor", "mixed", "leave_one_out"}
    assert set(lenient.left_out) == {"leave_one_out"}


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


def turn(path: Path) -> None:
    """Change a figure and leave the seal."""
    assert "0.0" in path.read_text("utf-8")
    path.write_text(path.read_text("utf-8").replace("0.0", "0.9"), "utf-8")


def fill_with_nan(path: Path) -> None:
    path.write_text('{"rule": NaN, "seal": "0"}', "utf-8")


def put_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def forge_the_rule(path: Path) -> None:
    write_sealed(path, {**read_sealed(path), "rule": "0"})


@pytest.mark.parametrize("harm", [cut, turn, fill_with_nan, put_a_folder, forge_the_rule])
def test_a_round_is_the_same_whatever_became_of_the_memo(
    corpus: Corpus, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    folder = corpus.folder / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    cold = round_of(corpus, tmp_path / "rounds")
    kept = hash_tree(folder)
    assert kept
    assert round_of(corpus, tmp_path / "rounds") == cold
    for name in kept:
        harm(folder / name)
    assert round_of(corpus, tmp_path / "rounds") == cold
    if harm is not put_a_folder:
        assert hash_tree(folder) == kept


def test_a_warm_memo_serves_rounds_of_other_options(corpus: Corpus, tmp_path: Path) -> None:
    folder = corpus.folder / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    cold = round_of(corpus, tmp_path / "strict", max_overlap=0.0)
    kept = hash_tree(folder)
    lenient = round_of(corpus, tmp_path / "lenient", max_overlap=1.0)
    assert hash_tree(folder) == kept
    shutil.rmtree(folder)
    assert round_of(corpus, tmp_path / "lenient", max_overlap=1.0) == lenient
    assert round_of(corpus, tmp_path / "strict", max_overlap=0.0) == cold
    assert cold["r/writing/abstract.parquet"] != lenient["r/writing/abstract.parquet"]


def test_an_update_compares_new_papers_alone(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(corpus.folder / FOLDER, ignore_errors=True)
    parent = build_round(corpus.folder, spec(end="2024-05-01"), tmp_path)
    compared: list[str] = []

    def listed(task: str, paper: PaperText) -> dict[str, Exposure]:
        compared.append(paper.paper_id)
        return expose(task, paper)

    monkeypatch.setattr(memo_module, "expose", listed)
    update_round(corpus, parent, builders(), tmp_path, date(2024, 7, 1))
    # Four papers of January to April were known; those of May and June are new, in four tasks each.
    assert sorted(compared) == ["bare"] * 4 + ["leaky"] * 4


def test_the_corpus_stays_what_it_is(corpus: Corpus, tmp_path: Path) -> None:
    shutil.rmtree(corpus.folder / "cache", ignore_errors=True)
    before = hash_tree(corpus.folder)
    round_of(corpus, tmp_path)
    after = hash_tree(corpus.folder)
    assert {name: after[name] for name in before} == before
    assert all(name.startswith("cache/writing/") for name in after.keys() - before.keys())
    assert load_corpus(corpus.folder).fingerprint == corpus.fingerprint
    assert verify_corpus(corpus.folder) == []


def test_where_nothing_can_be_kept_the_round_is_built_all_the_same(
    corpus: Corpus, tmp_path: Path
) -> None:
    round_of(corpus, tmp_path / "one")
    shutil.rmtree(corpus.folder / "cache")
    (corpus.folder / "cache").write_text("not a folder", "utf-8")
    try:
        assert round_of(corpus, tmp_path / "two") == hash_tree(tmp_path / "one")
    finally:
        (corpus.folder / "cache").unlink()


def test_of_two_builds_at_once_each_keeps_what_the_other_wrote(tmp_path: Path) -> None:
    one, other = Asked(tmp_path), Asked(tmp_path)
    # Many texts, so that some share a file.
    papers = [replace(PAPER, title=f"The matter of {n}") for n in range(40)]
    for n, paper in enumerate(papers):
        (one if n % 2 else other).exposures(replace(paper, paper_id=str(n)))
    one.save()
    other.save()
    assert all(one.knows(paper) for paper in papers)


def test_while_another_build_writes_nothing_is_kept(tmp_path: Path) -> None:
    late = Asked(tmp_path)
    late.exposures(PAPER)
    with lock(tmp_path):
        late.save()
        assert not late.knows(PAPER)
    late.save()
    assert late.knows(PAPER)


def test_a_file_holds_so_many_texts_and_those_asked_for_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memo_module, "MAX_ENTRIES", 1)
    first, second = (
        next(p for n in range(999) if key_of(p := replace(PAPER, title=f"{kind} {n}"))[0] == "a")
        for kind in ("Old matter", "New matter")
    )
    for paper in (first, second):
        made = Asked(tmp_path)
        made.exposures(paper)
        made.save()
    assert len(read_sealed(tmp_path / "a.json")["entries"]) == 1
    assert made.knows(second)


def test_an_entry_is_small(memo: Asked, tmp_path: Path) -> None:
    (entry,) = read_sealed(tmp_path / f"{key_of(PAPER)[0]}.json")["entries"].values()
    assert set(json.loads(entry)) == set(TASKS)
    assert len(entry) < 600
