"""LaTeXML pages without a paper, damaged and hostile ones: one fault each, in bounded time."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vivavoce.records import Document, Fault
from vivavoce.sources import Piece, ReadOptions
from vivavoce.sources.fulltext.html import SOURCE

START, END = '<html><body><article class="ltx_document">', "</article></body></html>"
TEXT = '<div class="ltx_abstract"><p class="ltx_p">Some words.</p></div>'


def read_one(path: Path, content: bytes | str) -> Document | Fault:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    (found,) = SOURCE.read(Piece(path), ReadOptions())
    return found


NESTED = "<table class='ltx_tabular'><tr><td>a<td>b<tr><td>c<td>"
HOSTILE = {
    "4 MiB inside a paper": f"{START}<p>{'a' * (4 << 20)}</p>{END}",
    "33 MiB": " " * (33 << 20),
    "giant attribute": f"{START}{TEXT}<p class='{'a ' * (1 << 20)}'>b</p>{END}",
    "deep sections": START + TEXT + '<section class="ltx_section">' * 230 + "a" + END,
    "deep tables": f"{START}{NESTED * 50}{'x ' * 200_000}{END}",
    "deep layout": START
    + TEXT
    + "<table class='ltx_tabular'><tr><td>" * 60
    + "<i>x</i>" * 50_000
    + END,
    "wide spans": (
        f"{START}<figure class='ltx_table'><table class='ltx_tabular'>"
        f"{'<tr><td colspan=9999 rowspan=9999>a</td></tr>' * 20_000}</table></figure>{END}"
    ),
    "broken tags": f"{START}{'</p><p><<a <b></table><li' * 20_000}{END}",
    "many entries": (
        f"{START}<section class='ltx_bibliography'>"
        f"{'<li class=ltx_bibitem>A. B: “. ' * 3_000}</section>{END}"
    ),
    "many names": (
        f"{START}{TEXT}<div class='ltx_authors'><span class='ltx_personname'>"
        f"{'A One, <sup>1</sup>' * 20_000}</span></div>{END}"
    ),
    "many formulas": f"{START}{TEXT}<p>{'<math alttext=x><mi>x</mi></math>' * 20_000}</p>{END}",
    "entities": f"{START}{TEXT}{'&#xffffffff;&amp;&foo;' * 100_000}{END}",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_pages_take_bounded_time(tmp_path: Path, name: str) -> None:
    found = read_one(tmp_path / "bad.html", HOSTILE[name])
    assert isinstance(found, Document | Fault)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


CLASSES = (
    "ltx_document ltx_section ltx_appendix ltx_title ltx_tag ltx_p ltx_para ltx_note ltx_cite "
    "ltx_table ltx_tabular ltx_tr ltx_td ltx_colspan_9 ltx_equation ltx_eqn_row ltx_bibliography "
    "ltx_bibitem ltx_bibblock ltx_authors ltx_personname ltx_abstract ltx_figure ltx_ERROR"
)
TAGS = "div p span table tr td math sup a section figure figcaption li dt h2 br img script"
MARKUP = st.one_of(
    st.builds(
        "<{} class='{}' href='#b' id='b' alttext='x'>".format,
        st.sampled_from(TAGS.split()),
        st.sampled_from(CLASSES.split()),
    ),
    st.builds("</{}>".format, st.sampled_from(TAGS.split())),
    st.text(max_size=8).map(lambda text: text.encode("utf-8", "ignore").decode()),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(MARKUP, max_size=60))
def test_any_markup_gives_one_paper_or_one_fault(folder: Path, pieces: list[str]) -> None:
    inside = "".join(pieces)
    for content in (inside, f"{START}{inside}{TEXT}{END}"):
        assert isinstance(read_one(folder / "x.html", content), Document | Fault)


@pytest.mark.parametrize("charset", ["utf-7", "punycode", "zlib", "no-such-thing"])
def test_a_declared_encoding_that_does_not_fit_is_passed_over(tmp_path: Path, charset: str) -> None:
    # In UTF-7 the middle would be half a character.
    page = f"<meta charset={charset}>{START}{TEXT.replace('Some', '+2AA- some')}{END}"
    found = read_one(tmp_path / "a.html", page)
    assert isinstance(found, Document)
    assert found.abstract == "+2AA- some words."
