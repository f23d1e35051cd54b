"""Safe reading of HTML bytes, and the elements of a page that LaTeXML made."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from vivavoce.errors import InputError
from vivavoce.sources.xml import check_text, parse_xml

_MAX_TAGS = 1_000_000
_PAGES = ("article", "div", "section", "main")
# The banner of arXiv that lists what did not convert carries the class of the paper.
_BANNER = "package-alerts"
_FATAL_CLASS = "ar5iv-severity-fatal"
_FATAL_START = "Conversion to HTML had a Fatal error"
_NO_PAGE = "No HTML for"
_NO_CLASSES: frozenset[str] = frozenset()
_DIVISIONS = frozenset(
    "ltx_chapter ltx_section ltx_subsection ltx_subsubsection ltx_paragraph ltx_subparagraph "
    "ltx_appendix".split()
)


def parse_page(content: bytes) -> etree._Element:
    """The root of an HTML or XHTML page; `InputError` says what is wrong.

    Nothing outside the file is loaded. A page too deep or too large for the parser is refused,
    since the parser would give back its start alone.
    """
    content = content.removeprefix(b"\xef\xbb\xbf")
    check_text(content)
    if content.count(b"<") > _MAX_TAGS:
        raise InputError(f"it has more than {_MAX_TAGS:,} tags, which no paper has")
    if content.lstrip().startswith(b"<?xml"):
        try:
            return parse_xml(content)
        except InputError:
            pass  # XHTML that is no XML, as of a page saved by a browser, is read as HTML
    return _parse_html(content)


def _parse_html(content: bytes) -> etree._Element:
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
    """The element that holds the paper; `InputError` says why a page does not have it whole."""
    document = next(
        (
            element
            for tag in _PAGES
            for element in root.iter(tag)
            if "ltx_document" in (names := classes_of(element)) and _BANNER not in names
        ),
        None,
    )
    if _has_failed(root):
        raise InputError("the conversion of the paper to HTML failed: the page says so")
    if document is None:
        raise InputError(_why_none(root))
    starts, ends = (b"<article", b"</article") if document.tag == "article" else (b"<html", b"</ht")
    if starts in content and ends not in content:
        raise InputError("the page was cut off: it ends inside the paper; fetch it again")
    return document


def _has_failed(root: etree._Element) -> bool:
    for element in root.iter("a", "div", "span", "p"):
        names = classes_of(element)
        if _FATAL_CLASS in names:
            return True
        if "ltx_ERROR" in names and (element.text or "").strip().startswith(_FATAL_START):
            return True
    return False


def _why_none(root: etree._Element) -> str:
    headings = ("".join(map(str, element.itertext())) for element in root.iter("title", "h1", "h2"))
    if any(_NO_PAGE in heading for heading in headings):
        return "a page that says that there is no HTML of this paper"
    if root.find(".//meta[@name='citation_arxiv_id']") is not None:
        return "the abstract page of a paper, not its text: there may be no HTML of it"
    if any("ltx_page_content" in classes_of(element) for element in root.iter("div")):
        return "a LaTeXML page without a paper: its conversion to HTML failed"
    return "HTML, but not LaTeXML output: no element has the class ltx_document"


def classes_of(element: etree._Element) -> frozenset[str]:
    """The classes of an element."""
    names = element.get("class")
    return frozenset(names.split()) if names else _NO_CLASSES


def outermost(
    element: etree._Element, is_wanted: Callable[[etree._Element], bool]
) -> Iterator[etree._Element]:
    """The elements below one that are wanted, in order, without those inside of others.

    Formulas, which may be most of a page, are not looked into.
    """
    walk = etree.iterwalk(element, events=("start",))
    for _, found in walk:
        if not isinstance(found.tag, str) or found is element:
            continue
        if is_wanted(found):
            walk.skip_subtree()
            yield found
        elif found.tag == "math":
            walk.skip_subtree()


def is_division(element: etree._Element) -> bool:
    """Check whether an element is a section of some level."""
    return not _DIVISIONS.isdisjoint(classes_of(element))


def outside_divisions(
    element: etree._Element, is_wanted: Callable[[etree._Element], bool]
) -> Iterator[etree._Element]:
    """As `outermost`, but not in sections below: a float left open has the rest of the paper."""
    for found in outermost(element, lambda below: is_division(below) or is_wanted(below)):
        if not is_division(found):
            yield found


def with_class(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """The outermost elements of a class below an element."""
    return outermost(element, lambda found: name in classes_of(found))
