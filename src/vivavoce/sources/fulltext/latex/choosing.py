"""Which of several LaTeX files is the paper."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from vivavoce.sources.fulltext.latex.files import TEX_SUFFIXES, PaperFiles

_CLASS = re.compile(
    r"^[^%\n]{0,200}\\document(?:class|style)[ \t\n]{0,9}(?:\[[^\]]{0,999}\])?[ \t\n%]{0,9}"
    r"\{([^{}]{0,200})\}",
    re.MULTILINE,
)
_BEGIN = re.compile(r"^[^%\n]{0,200}\\begin[ \t]{0,9}\{document\}", re.MULTILINE)
_INPUT = re.compile(
    r"^[^%\n]{0,200}\\(?:input|include|subfile|subfileinclude)[ \t]{0,9}\{([^{}\n]{1,200})\}",
    re.MULTILINE,
)
_TITLE = re.compile(
    r"^[^%\n]{0,99}\\(?:icml)?title[ \t]{0,9}(?:\[[^\]]{0,200}\])?\{(.{0,200})", re.M | re.S
)
_NO_PAPER = re.compile(r"beamer|slides|standalone|subfiles|letter|poster|\.tex$|moderncv|prosper")
_TEMPLATE_TITLE = re.compile(
    r"instructions|\btemplate\b|paper title|name of the title|your (?:paper )?title"
    r"|contribution title|title goes here|insert .{0,20}title|full title of article",
    re.IGNORECASE,
)
_ASIDE_NAME = re.compile(
    r"(?<![a-z])(?:slides?|talk|poster|presentation|supp(?:lement(?:ary|al)?)?|supporting|appendix"
    r"|response|rebuttal|reply|review(?:s|ers?)?|cover|letter|template|sample|example|diff|old"
    r"|backup|boneyard|changes|readme|test|figures?|fig|tables?)(?![a-z])",
    re.IGNORECASE,
)
_ASIDE_FOLDER = re.compile(r"(?:^|/)(?:template|example|sample|slides|old|backup)[^/]*/", re.I)


@dataclass(frozen=True, slots=True)
class Main:
    """A file that LaTeX can be started with."""

    name: str
    size: int
    """Characters of it and of what it inputs."""
    title: str
    inputs: tuple[str, ...]


def document_class(text: str) -> str | None:
    """The class of a file that can be a paper; None for parts, slides and stand-alone figures."""
    found = _CLASS.search(text)
    if found is None or _BEGIN.search(text) is None:
        return None
    name = found[1].strip()
    return None if _NO_PAPER.search(name.lower()) else name


def is_template(title: str) -> bool:
    """Whether a title is that of a venue's sample file."""
    return _TEMPLATE_TITLE.search(title) is not None


def choose_main(files: PaperFiles, names: Iterable[str] | None = None) -> str | None:
    """The main file of a paper; None where there is none."""
    texts = {
        name: files.text(name)
        for name in (files.names if names is None else names)
        if name.lower().endswith(TEX_SUFFIXES)
    }
    mains = [_read_main(name, texts, files) for name in texts if document_class(texts[name])]
    if not mains:
        return None
    used = {name for text in texts.values() for name in _inputs_of(text, files)}
    return max(mains, key=lambda main: _rank(main, used, files)).name


def _rank(main: Main, used: set[str], files: PaperFiles) -> tuple[object, ...]:
    stem = main.name.rpartition(".")[0]
    return (
        not is_template(main.title),
        main.name not in used,
        _ASIDE_FOLDER.search(main.name) is None,
        _ASIDE_NAME.search(stem.rpartition("/")[2]) is None,
        -main.name.count("/"),
        f"{stem}.bbl" in files.names,
        main.size,
        main.name,
    )


def _read_main(name: str, texts: dict[str, str], files: PaperFiles) -> Main:
    title = _TITLE.search(texts[name])
    inputs = tuple(_inputs_of(texts[name], files))
    size = len(texts[name]) + sum(len(texts.get(part, "")) for part in inputs)
    return Main(name, size, title[1] if title else "", inputs)


def _inputs_of(text: str, files: PaperFiles) -> Iterable[str]:
    found = (files.find(match[1]) for match in _INPUT.finditer(text))
    return sorted({name for name in found if name})
