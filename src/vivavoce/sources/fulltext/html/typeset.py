"""Elements of LaTeXML pages and their text; formulas become TeX, notes are left out."""

import re
from codecs import lookup
from collections.abc import Callable, Iterator
from contextlib import suppress

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.sources.formulas import print_mathml, print_script
from vivavoce.sources.fulltext.model import PARAGRAPH
from vivavoce.sources.xml import check_text, children, parse_xml
from vivavoce.text.normalise import clean_text

# Classes of sections.
_DIVISIONS = frozenset(
    "ltx_chapter ltx_section ltx_subsection ltx_subsubsection ltx_paragraph ltx_subparagraph "
    "ltx_appendix".split()
)
# Tags and classes of elements that are not part of the paper's text.
_UNSEEN = frozenset(
    "head script style template noscript nav header footer button form dialog iframe svg".split()
)
_OUT = frozenset(
    "ltx_note ltx_ERROR ltx_bibliography ltx_abstract ltx_authors ltx_creator ltx_dates ltx_TOC "
    "ltx_keywords ltx_classification ltx_subtitle ltx_pubnotes ltx_pagination ltx_index "
    "ltx_glossary ltx_listing_data ltx_phantom ltx_eqn_eqno ltx_title_part ltx_title_abstract "
    "ltx_title_bibliography ltx_tag_bibitem ltx_tag_listingline ltx_tag_equation "
    "ltx_tag_equationgroup ltx_page_navbar ltx_page_header ltx_page_footer ltx_page_logo "
    "ltx_picture ltx_rdf package-alerts sr-only".split()
)
# Tags of elements on lines of their own; tags and classes of elements set between spaces.
_BLOCKS = frozenset(
    "div section article main aside ul ol dl li blockquote pre center figure figcaption table "
    "address details summary".split()
)
_SPACED = frozenset("br tr td th thead tbody tfoot caption dd hr".split())
_SPACED_CLASSES = frozenset("ltx_tr ltx_td ltx_inline-block ltx_tabular".split())
# Tags of headings after which the text continues on the same line.
_RUN_IN = frozenset("h1 h2 h3 h4 h5 h6 dt".split())
# Classes of item marks: older versions of LaTeXML name the list, newer ones the item.
_ITEM_TAGS = frozenset(
    "ltx_tag_item ltx_tag_itemize ltx_tag_enumerate ltx_tag_description ltx_tag_inline-itemize "
    "ltx_tag_inline-enumerate ltx_tag_inline-description ltx_tag_inline-item".split()
)
_CHARSET = re.compile(rb"<meta\b[^<>]{0,200}\bcharset\s?=\s?[\"']?([\w-]{1,30})", re.IGNORECASE)
_HEAD_BYTES = 4_096
_MAX_TAGS = 1_000_000
_PAGES = ("article", "div", "section", "main")
# arXiv's banner, which lists what did not convert, has the same class as the paper.
_BANNER = "package-alerts"
_FATAL_CLASS = "ar5iv-severity-fatal"
_FATAL_START = "Conversion to HTML had a Fatal error"
_NO_PAGE = "No HTML for"
_NO_CLASSES: frozenset[str] = frozenset()


def parse_page(content: bytes) -> etree._Element:
    """The root of an HTML or XHTML page; `InputError` says what is wrong.

    Nothing outside the file is loaded. A page too deep or too large for the parser is refused.
    """
    content = content.removeprefix(b"\xef\xbb\xbf")
    charset = _CHARSET.search(content[:_HEAD_BYTES])
    if charset is not None and charset[1].lower() != b"utf-8":
        with suppress(LookupError, UnicodeError):
            codec = lookup(charset[1].decode("ascii")).name
            # Browsers read Latin-1 as Windows does, with quotation marks and dashes.
            content = content.decode("cp1252" if codec == "iso8859-1" else codec).encode()
    check_text(content)
    if content.count(b"<") > _MAX_TAGS:
        raise InputError(f"it has more than {_MAX_TAGS:,} tags, which no paper has")
    if content.lstrip().startswith(b"<?xml"):
        try:
            return parse_xml(content)
        except InputError:
            pass  # XHTML that is not XML, such as a page saved by a browser, is read as HTML
    parser = etree.HTMLParser(
        encoding="utf-8",
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.LxmlError, ValueError) as error:
        raise InputError(f"not readable as HTML: {error}") from error
    fatal = parser.error_log.filter_from_fatals()
    if len(fatal) > 0:
        raise InputError(f"not readable as HTML: {fatal[0].message.strip()[:200]}")
    if root is None:
        raise InputError("the file holds no HTML element")
    return root


def find_document(root: etree._Element, content: bytes) -> etree._Element:
    """The element that holds the paper; `InputError` says why it is missing or incomplete."""
    document = next(
        (
            element
            for tag in _PAGES
            for element in root.iter(tag)
            if "ltx_document" in (names := classes_of(element)) and _BANNER not in names
        ),
        None,
    )
    for element in root.iter("a", "div", "span", "p"):
        names = classes_of(element)
        is_error = "ltx_ERROR" in names and (element.text or "").strip().startswith(_FATAL_START)
        if is_error or _FATAL_CLASS in names:
            raise InputError("the conversion of the paper to HTML failed: the page says so")
    if document is None:
        headings = ["".join(map(str, one.itertext())) for one in root.iter("title", "h1", "h2")]
        why = "HTML, but not LaTeXML output: no element has the class ltx_document"
        if any(_NO_PAGE in heading for heading in headings):
            why = "a page that says that there is no HTML of this paper"
        elif root.find(".//meta[@name='citation_arxiv_id']") is not None:
            why = "the abstract page of a paper, not its text: there may be no HTML of it"
        elif any("ltx_page_content" in classes_of(element) for element in root.iter("div")):
            why = "a LaTeXML page without a paper: its conversion to HTML failed"
        raise InputError(why)
    starts, ends = (b"<article", b"</article") if document.tag == "article" else (b"<html", b"</ht")
    if starts in content and ends not in content:
        raise InputError("the page was cut off: it ends inside the paper; fetch it again")
    return document


def classes_of(element: etree._Element) -> frozenset[str]:
    """The classes of an element."""
    names = element.get("class")
    return frozenset(names.split()) if names else _NO_CLASSES


def outermost(
    element: etree._Element, is_wanted: Callable[[etree._Element], bool]
) -> Iterator[etree._Element]:
    """The wanted elements below an element, except those inside other wanted ones or formulas."""
    walk = etree.iterwalk(element, events=("start",))
    for _, descendant in walk:
        if not isinstance(descendant.tag, str) or descendant is element:
            continue
        if is_wanted(descendant):
            walk.skip_subtree()
            yield descendant
        elif descendant.tag == "math":
            walk.skip_subtree()


def is_division(element: etree._Element) -> bool:
    """Check whether an element is a section of some level."""
    return not _DIVISIONS.isdisjoint(classes_of(element))


def outside_divisions(
    element: etree._Element, is_wanted: Callable[[etree._Element], bool]
) -> Iterator[etree._Element]:
    """Elements as in `outermost`, but outside sections: an open float holds the paper's rest."""
    for descendant in outermost(element, lambda below: is_division(below) or is_wanted(below)):
        if not is_division(descendant):
            yield descendant


def with_class(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """The outermost elements of a class below an element."""
    return outermost(element, lambda descendant: name in classes_of(descendant))


Take = Callable[[etree._Element, frozenset[str], int], bool]
"""Handles an element, given its classes and depth; False leaves the element to the writer."""

_MAX_DEPTH = 100
_EQUATIONS = frozenset({"ltx_equation", "ltx_equationgroup"})
_SPACE = re.compile(r"\s+")
# In TeX, a comment sign makes the text continue on the next line.
_CONTINUATION = re.compile(r"(?<!\\)%\n\s*")
_MAX_MARKER = 60
_MARKER = re.compile(r"[\s0-9a-z,;–—-]+")
_ITEM_WORD = re.compile(r"[^\W\d_]{3,}")
_ROMAN = re.compile(r"\W*[ivxlc]+\W*", re.IGNORECASE)


class Writer:
    """Writes elements piece by piece; `PARAGRAPH` separates paragraphs."""

    def __init__(self, append: Callable[[str], None], take: Take | None = None) -> None:
        self._append = append
        self._take = take
        self._is_in_equation = False
        self._is_run_in = False
        """True when the next text continues the current line: `Proof. It is ...`"""

    def inside(
        self, element: etree._Element, depth: int = 0, without: etree._Element | None = None
    ) -> None:
        """Write the content of an element, except one of its children."""
        self._text(element.text)
        for child in children(element):
            if child is not without:
                self.element(child, depth + 1)
            self._text(child.tail)

    def element(self, element: etree._Element, depth: int) -> None:
        """Write an element."""
        names = classes_of(element)
        tag = str(element.tag)
        if tag in _UNSEEN or (names and (names & _OUT or _is_missing(element, names))):
            return
        if depth > _MAX_DEPTH:
            self._text("".join(map(str, element.itertext(etree.Element))))
        elif self._take is None or not self._take(element, names, depth):
            self._write(element, tag, names, depth)

    def stop_line(self) -> None:
        """End the paragraph."""
        self._is_run_in = False
        self._append(PARAGRAPH)

    def _write(self, element: etree._Element, tag: str, names: frozenset[str], depth: int) -> None:
        if tag == "math" or (tag == "img" and "ltx_Math" in names):
            self._text(_formula(element))
        elif names & _EQUATIONS and not self._is_in_equation:
            self._equation(element, depth)
        elif tag == "p" or "ltx_p" in names:
            # Text after a displayed formula continues the paragraph before it.
            before = element.getprevious()
            while before is not None and before.tag in _UNSEEN:
                before = before.getprevious()
            if before is not None and not classes_of(before) & _EQUATIONS:
                self._start_line()
            self._append(" ")
            self.inside(element, depth)
            self._append(" ")
        elif tag in _SPACED or names & _SPACED_CLASSES:
            self._append(" ")
            self.inside(element, depth)
            self._append(" ")
        elif tag in _BLOCKS:
            self._start_line()
            self.inside(element, depth)
            self.stop_line()
        elif tag in _RUN_IN:
            self._start_line()
            self.inside(element, depth)
            self._append(" ")
            self._is_run_in = True
        elif tag == "sup" and _is_raised_marker(element):
            # Raised numbers would run into the word before them.
            self._append(" [")
            self.inside(element, depth)
            self._append("]")
        elif not names & _ITEM_TAGS or _is_word(element):
            sign = {"sup": "^", "sub": "_"}.get(tag)
            if sign and (script := print_script(element, sign)):
                self._text(script)
            else:
                self.inside(element, depth)

    def _text(self, text: str | None) -> None:
        if text:
            self._is_run_in = self._is_run_in and text.isspace()
            self._append(_SPACE.sub(" ", text))

    def _start_line(self) -> None:
        self._append(" " if self._is_run_in else PARAGRAPH)

    def _equation(self, element: etree._Element, depth: int) -> None:
        """Write a displayed formula line by line; words between the lines are text."""
        self._is_in_equation = True
        for row in list(outermost(element, _is_equation_row)) or [element]:
            lines = [_tex(formula) for formula in outermost(row, _is_math)]
            lines = [line for line in lines if line]
            if lines and next(with_class(row, "ltx_intertext"), None) is None:
                self._text(f" \\[{' '.join(lines)}\\] ")
            else:
                self._append(" ")
                self.inside(row, depth + 1)
                self._append(" ")
        self._is_in_equation = False


def line_of(element: etree._Element | None, take: Take | None = None) -> str:
    """Content of an element, such as a heading or a cell, as one line."""
    if element is None:
        return ""
    out: list[str] = []
    Writer(out.append, take).inside(element)
    return clean_text(" ".join("".join(out).split()))


def _formula(element: etree._Element) -> str:
    tex = _tex(element)
    if not tex:
        return " ".join(print_mathml(element).split())
    return f"\\[{tex}\\]" if element.get("display") == "block" else f"${tex}$"


def _tex(element: etree._Element) -> str:
    """The TeX of a formula; empty if the page does not have it."""
    source = element.get("alttext") or (element.get("alt") if element.tag == "img" else "") or ""
    if not source:
        notes = element.iter("annotation")
        kept = (note.text or "" for note in notes if note.get("encoding") == "application/x-tex")
        source = next(kept, "")
    plain = " ".join(_CONTINUATION.sub("", source).split())
    return plain.removeprefix("\\displaystyle").strip()


def _is_math(element: etree._Element) -> bool:
    return element.tag == "math" or (element.tag == "img" and "ltx_Math" in classes_of(element))


def _is_equation_row(element: etree._Element) -> bool:
    return element.tag == "tr" or "ltx_eqn_row" in classes_of(element)


def _is_missing(element: etree._Element, names: frozenset[str]) -> bool:
    """Check whether an element marks a missing citation, or cites only missing works."""
    if any(name.startswith("ltx_missing") for name in names):
        return True
    inner = [*_near(element)] if "ltx_cite" in names else []
    return not any(link.tag == "a" for link in inner) and any(
        name.startswith("ltx_missing") for below in inner for name in classes_of(below)
    )


def _is_raised_marker(element: etree._Element) -> bool:
    """Check whether raised text consists only of citation numbers."""
    links = [link.get("href") or "" for link in _near(element) if link.tag == "a"]
    if not links or not all("#bib" in link for link in links):
        return False
    text = ""
    for piece in element.itertext():
        text += str(piece)
        if len(text) > _MAX_MARKER:
            return False
    return _MARKER.fullmatch(text) is not None


def _near(element: etree._Element) -> Iterator[etree._Element]:
    """Children and grandchildren; looking deeper at every level of nesting would take long."""
    for child in children(element):
        yield child
        yield from children(child)


def _is_word(tag: etree._Element) -> bool:
    """Check whether an item's label is the author's own wording, not a bullet or a number."""
    text = "".join(map(str, tag.itertext())).strip()
    return _ITEM_WORD.search(text) is not None and _ROMAN.fullmatch(text) is None
