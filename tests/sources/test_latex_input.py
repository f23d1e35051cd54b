"""Which file is the paper, what archives hold, hostile input, and real folders."""

import gzip
import io
import tarfile
import zipfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.corpus import ingest, load_corpus
from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions
from vivavoce.sources.fulltext.latex import SOURCE, read_document, tokens

PAPER = r"\documentclass{article}\title{T}\begin{document}\section{A} %s \end{document}"
MANY = 10_000


def read_one(path: Path) -> Document | Fault:
    (item,) = SOURCE.read(Piece(path), ReadOptions())
    return item


def tar(files: dict[str, bytes], *, links: dict[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    return out.getvalue()


def mains(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file() and SOURCE.matches(path))
    return sorted(path.relative_to(folder).as_posix() for path in found)


def test_one_main_file_is_chosen_in_a_folder(tmp_path: Path) -> None:
    files = {
        "paper/ms.tex": PAPER % (r"\input{intro}" + "long " * 50),
        "paper/intro.tex": "Intro.",
        "paper/short.tex": PAPER % "short",
        "paper/slides.tex": PAPER % ("x" * 5000),
        "paper/talk.tex": (PAPER % ("x" * 5000)).replace("{article}", "{beamer}"),
        "paper/acl.tex": (PAPER % ("x" * 5000)).replace("{T}", "{Instructions for Authors}"),
        "paper/template/main.tex": PAPER % "nested",
        "other/main.tex": PAPER % "other",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert mains(tmp_path) == ["other/main.tex", "paper/ms.tex"]
    document = read_one(tmp_path / "paper/ms.tex")
    assert isinstance(document, Document)
    assert document.key == "paper"
    assert document.sections[0].text.startswith("Intro. long")


def test_files_named_by_identifiers_are_papers_each(tmp_path: Path) -> None:
    for name in ("1501.00001v2.tex", "1501.00002.tex"):
        (tmp_path / name).write_text(PAPER % "x")
    assert mains(tmp_path) == ["1501.00001v2.tex", "1501.00002.tex"]
    document = read_one(tmp_path / "1501.00001v2.tex")
    assert isinstance(document, Document)
    assert (document.arxiv_id, document.version) == ("1501.00001", "v2")


def test_eprints_are_unpacked(tmp_path: Path) -> None:
    files = {"a/main.tex": (PAPER % r"\input{sec/one}").encode(), "a/sec/one.tex": b"Found."}
    files["a/figure.png"] = b"\x00" * 100
    flat = {name.removeprefix("a/"): content for name, content in files.items()}
    (tmp_path / "2001.00001.tar.gz").write_bytes(tar(flat))
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        for name, content in flat.items():
            archive.writestr(name, content)
    (tmp_path / "c.gz").write_bytes(gzip.compress((PAPER % "Found.").encode()))
    (tmp_path / "d.tar.gz").write_bytes(tar(files))
    assert mains(tmp_path) == ["2001.00001.tar.gz", "b.zip", "c.gz", "d.tar.gz"]
    for name in mains(tmp_path):
        document = read_one(tmp_path / name)
        assert isinstance(document, Document), document
        assert [section.text for section in document.sections] == ["Found."], name


def test_links_out_of_a_folder_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("Secret.")
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "main.tex").write_text(PAPER % r"\input{link}\input{../secret} Safe.")
    document = read_one(folder / "main.tex")
    assert isinstance(document, Document)
    assert document.sections[0].text == "Safe."


HOSTILE = {
    "groups": "{" * MANY + "x" + "}" * MANY,
    "open groups": "{" * MANY,
    "nested sections": r"\section{" * MANY + "}" * MANY,
    "nested footnotes": r"\footnote{" * MANY + "}" * MANY,
    "nested accents": r"\'{" * MANY + "}" * MANY,
    "nested tabulars": r"\begin{tabular}{c}" * MANY + "a&b" + r"\end{tabular}" * MANY,
    "open environments": r"\begin{table}" * MANY,
    "open verbatim": r"\begin{verbatim}" * MANY,
    "open formulas": r"\( x " * MANY,
    "open options": r"\foo[" * MANY,
    "open notes": r"\citep[" * MANY,
    "nested conditions": r"\iftrue " * MANY + r"\fi" * MANY,
    "many bibitems": r"\bibitem{k} A. B, 2001. " * MANY,
    "wide cells": r"\begin{tabular}{c}" + r"\multicolumn{999}{c}{x}&" * MANY + r"\end{tabular}",
    "cycle": r"\input{main}" * MANY,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_text_takes_bounded_time(tmp_path: Path, name: str) -> None:
    path = tmp_path / "main.tex"
    path.write_text(PAPER % (HOSTILE[name] + "\n\nText."))
    assert isinstance(read_one(path), Document | Fault)


def test_macros_that_double_in_a_long_chain_are_one_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "_MAX_MADE", 100_000)
    # Each of 24 macros calls the next one four times: 4^24 words.
    chain = "".join(
        r"\def\z{}{{{}}}".format(name, (r"\z" + following) * 4)
        for name, following in pairwise("abcdefghijklmnopqrstuvwxy")
    )
    path = tmp_path / "main.tex"
    path.write_text(PAPER % (chain + r"\def\zy{x}\za"))
    fault = read_one(path)
    assert isinstance(fault, Fault)
    assert "macros expand without end" in fault.reason


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        (r"\def\a{x\a x}\a Text.", "Text."),
        (r"\newcommand{\a}[1][\a]{#1}\a Text.", "Text."),
        (r"\newcommand{\a}[1]{#1#1#1#1}" + r"\a{" * 40 + "x" * 99 + "}" * 40 + " Text.", "Text."),
        # These have an end.
        (r"\def\a{x}\edef\a{\a y}\a. Text.", "xy. Text."),
        (r"\makeatletter\def\b@c{A\b@c@}\def\b@c@{B}\b@c\makeatother. Text.", "AB. Text."),
        (r"\iffalse \loop\ifnum\a<1 \advance\a by 1 \repeat \fi Text.", "Text."),
        (r"\patchcmd{\x}{\else \y}{\else \z}{}{}Text.", "Text."),
    ],
)
def test_a_macro_without_end_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, printed: str
) -> None:
    monkeypatch.setattr(tokens, "_MAX_MADE", 100_000)
    path = tmp_path / "main.tex"
    path.write_text(PAPER % source)
    paper = read_one(path)
    assert isinstance(paper, Document)
    assert paper.sections[0].text.endswith(printed)


WORDS = (
    r"\section \begin{table} \end{table} \begin{tabular}{cc} \end{tabular} & \\ { } [ ] $ $$ \( \) "
    r"\cite \citep [x] {k} \bibitem \newblock \def \newcommand \a #1 ## \if \iffalse \else \fi \' "
    r"\~ \verb \item \caption \label \ref \input {main} \let = \begin \end {x} * % ~ \author "
    r"\usepackage{} \title \and \multicolumn {2} \appendix \xspace \bibliography \newif \ifb "
    r"\btrue text Ana Roe"
)
PIECES = st.lists(st.sampled_from([*WORDS.split(), "\n\n", "\n", "\\"]), max_size=60)


@given(pieces=PIECES, bib=st.text(alphabet='@{}(),="#ak \n\\', max_size=80))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_gives_one_paper_or_one_fault(tmp_path: Path, pieces: list[str], bib: str) -> None:
    path = tmp_path / "main.tex"
    path.write_text(PAPER % (r"\cite{k}\bibliography{b}" + "".join(pieces)))
    (tmp_path / "b.bib").write_text("@article{k, title={T}}\n" + bib)
    assert isinstance(read_one(path), Document | Fault)
    path.write_text("".join(pieces))
    assert isinstance(read_one(path), Document | Fault)


@pytest.mark.data
def test_real_folders_are_read_whole(data_dir: Path) -> None:
    root = data_dir / "latex"
    papers = [read_document(root / name) for name in mains(root)]
    assert len(papers) == 11  # of 12 folders one holds no .tex file
    for paper in papers:
        assert paper.title, paper.key
        assert len((paper.abstract or "").split()) > 50, paper.key
        assert len(paper.references) >= 4, paper.key
        headings = [section.heading for section in paper.sections if section.level == 1]
        assert "Introduction" in headings, paper.key
        assert all(reference.title for reference in paper.references), paper.key
    cited = [len(table.cited) for paper in papers for table in paper.tables]
    assert sum(1 for count in cited if count) >= 5


def test_papers_with_main_files_of_one_name_go_in_and_included_files_count(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / "papers" / name
        folder.mkdir(parents=True)
        (folder / "main.tex").write_text(PAPER % rf"\input{{body}} {name}", "utf-8")
        (folder / "body.tex").write_text("Before.", "utf-8")
    first = ingest("latex", tmp_path / "papers", tmp_path / "corpus")
    assert (first.read, first.failed) == (2, ())
    (tmp_path / "papers" / "two" / "body.tex").write_text("After.", "utf-8")
    ingest("latex", tmp_path / "papers", tmp_path / "corpus")
    texts = {
        row["source_file"]: row["text"] for row in load_corpus(tmp_path / "corpus").rows("sections")
    }
    assert set(texts) == {"one", "two"}
    assert "Before." in texts["one"]
    assert "After." in texts["two"]
