"""Where a paper's references are: in its text, in a .bbl file or in .bib files."""

from __future__ import annotations

import re

from vivavoce.sources.fulltext.latex.bibliography import is_biblatex, read_biblatex, read_items
from vivavoce.sources.fulltext.latex.bibtex import read_cited
from vivavoce.sources.fulltext.latex.citing import Citations, Entry
from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.layout import Layout
from vivavoce.sources.fulltext.latex.macros import Expander

_PACKAGES = frozenset({"\\usepackage", "\\RequirePackage"})
_BIB = frozenset({"\\bibliography", "\\addbibresource", "\\addglobalbib", "\\nobibliography"})
_STYLE = frozenset({"\\bibliographystyle"})
_NUMERIC_STYLE = re.compile(
    r"(?:plain|unsrt|abbrv|ieeetr|ieee|acm|siam|splncs|elsarticle-num|nature|apsrev|aps|vancouver"
    r"|spmpsci|sn-(?:nature|vancouver|mathphys|basic)|IEEEtran|ACM-Reference)(?!nat)",
    re.IGNORECASE,
)
_BRACKETS_PACKAGE = re.compile(
    r"(?:acl|emnlp|naacl|coling|eacl|ijcnlp|lrec|conll|semeval|aaai|apacite|tacl)", re.IGNORECASE
)


def read_references(files: PaperFiles, main: str, layout: Layout) -> tuple[list[Entry], Citations]:
    """The references of a paper in printed order, and how it prints citations.

    The list that LaTeX printed goes before .bib files, unless it lacks most of what is cited.
    """
    keys = list(dict.fromkeys(key for found in layout.citations() for key in found.keys))
    wanted = {key.casefold() for key in keys}
    entries, has_labels = _printed(files, main, layout)
    known = sum(entry.key.casefold() in wanted for entry in entries)
    if known < len(wanted) / 2 or not entries:
        names = _bib_files(files, layout)
        cited = read_cited([files.text(name) for name in names], keys) if names else []
        if len(cited) > known:
            entries, has_labels = cited, None
    is_numeric = _is_numeric(layout) if has_labels is None else not has_labels
    packages = [name for place in layout.find(_PACKAGES) for name in _names(layout, place)]
    is_bracketed = any(_BRACKETS_PACKAGE.match(name) for name in packages)
    has_natbib = "natbib" in packages or any(
        re.match(r"neurips|nips|iclr|icml", p) for p in packages
    )
    return entries, Citations(
        entries, is_numeric=is_numeric, cites_in_brackets=is_bracketed or not has_natbib
    )


def _printed(files: PaperFiles, main: str, layout: Layout) -> tuple[list[Entry], bool | None]:
    """The printed list, and whether its labels have names; None where that is not told."""
    entries = read_items(layout)
    if entries:
        return entries, any(entry.names and "(" in _label(layout) for entry in entries[:1])
    stem = main.rpartition(".")[0]
    named = [f"{stem}.bbl"] if f"{stem}.bbl" in files.names else []
    others = [name for name in files.names if name.lower().endswith(".bbl") and "/" not in name]
    for name in [*named, *(others if len(others) == 1 else [])]:
        text = files.text(name)
        if is_biblatex(text):
            return read_biblatex(text), None
        inside = Layout(Expander(files).expand(name))
        entries = read_items(inside)
        if entries:
            return entries, "(" in _label(inside)
    return [], None


def _label(layout: Layout) -> str:
    for place in layout.find(frozenset({"\\bibitem"})):
        label = layout.option(place + 1)
        return layout.source(label) if label else ""
    return ""


def _bib_files(files: PaperFiles, layout: Layout) -> list[str]:
    """The .bib files a paper names; those beside it where it names none that is there."""
    named = [
        files.find(name, suffixes=(".bib",))
        for place in layout.find(_BIB)
        for name in _names(layout, place)
    ]
    found = [name for name in named if name.lower().endswith(".bib")]
    if not found:
        found = [name for name in files.names if name.lower().endswith(".bib") and "/" not in name]
    return list(dict.fromkeys(found))


def _names(layout: Layout, place: int) -> list[str]:
    found = layout.required(place)
    return [name.strip() for name in layout.source(found).split(",")] if found else []


def _is_numeric(layout: Layout) -> bool:
    """Whether citations print numbers, by the style and the packages."""
    for place in layout.find(_PACKAGES):
        names = _names(layout, place)
        option = layout.option(place + 1)
        options = layout.source(option).replace(" ", "") if option else ""
        if "natbib" in names and re.search(r"(?:^|,)(?:numbers|super)", options):
            return True
        if "biblatex" in names:
            return re.search(r"style=(?:authoryear|apa|chicago|mla|author)", options) is None
    styles = [name for place in layout.find(_STYLE) for name in _names(layout, place)]
    return any(_NUMERIC_STYLE.match(style) for style in styles)
