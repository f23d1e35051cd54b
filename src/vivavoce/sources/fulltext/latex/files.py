"""Text files of one paper, in a folder or unpacked, and the choice of the main one."""

import os
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from vivavoce.errors import InputError

TEXT_SUFFIXES = (".tex", ".bbl", ".bib", ".sty", ".ltx", ".latex")
TEX_SUFFIXES = (".tex", ".ltx", ".latex")
LARGEST_FILE = 8 << 20
"""Most bytes of one file; a .bib file in a folder may have up to `LARGEST_BIBLIOGRAPHY`."""
LARGEST_BIBLIOGRAPHY = 64 << 20
_LARGEST_PAPER = 128 << 20
_MAX_FILES = 2_000
_MAX_FOLDER = 6
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


_ENCODING = re.compile(
    rb"^[^%\n]{0,200}\\(?:usepackage[ \t]{0,9}\[([\w-]{1,30})\][ \t]{0,9}\{inputen[cx]\}"
    rb"|inputencoding[ \t]{0,9}\{([\w-]{1,30})\})",
    re.MULTILINE,
)
_CODECS = {"ansinew": "cp1252", "latin1": "cp1252", "applemac": "mac_roman", "macce": "mac_latin2"}
"""Python's codecs by inputenc's name for them; other encodings have the same name in both."""


def decode(content: bytes, encoding: str = "cp1252") -> str:
    """Decode as UTF-8, else in the paper's encoding, else as Latin-1, which fits any bytes."""
    for codec in ("utf-8-sig", encoding):
        try:
            return content.decode(codec)
        except (UnicodeError, LookupError):
            continue
    return content.decode("latin-1")


class PaperFiles:
    """Files of one paper, by path relative to its folder, with `/` between parts."""

    def __init__(self, *, unpacked: Mapping[str, bytes] | None = None, folder: Path | None = None):
        self._folder = folder
        self._unpacked = dict(unpacked or {})
        self._read = 0
        self.encoding = "cp1252"
        """Encoding of files that are not in UTF-8: that of Windows unless a file declares one."""
        names = list_text_files(folder) if folder else sorted(self._unpacked)
        self.names = tuple(names)
        self._known = frozenset(names)

    def text(self, name: str) -> str:
        """The text of a file in `names`; `InputError` if it cannot be read or is too large."""
        content = self._unpacked.get(name)
        if content is None:
            content = self._load(name)
        self._read += len(content)
        if self._read > _LARGEST_PAPER:
            raise InputError(f"its files hold more than {_LARGEST_PAPER >> 20} MiB of text")
        text, start = "", 0
        for declared in _ENCODING.finditer(content):
            text += decode(content[start : declared.start()], self.encoding)
            codec = (declared[1] or declared[2]).decode("ascii").lower()
            self.encoding, start = _CODECS.get(codec, codec), declared.start()
        return text + decode(content[start:], self.encoding)

    def _load(self, name: str) -> bytes:
        if self._folder is None:
            raise InputError(f"{name} is not among its files")
        limit = LARGEST_BIBLIOGRAPHY if name.lower().endswith(".bib") else LARGEST_FILE
        try:
            with (self._folder / name).open("rb") as stream:
                content = stream.read(limit + 1)
        except OSError as error:
            raise InputError(f"{name} cannot be read: {error.strerror}") from error
        if len(content) > limit:
            raise InputError(f"{name} is larger than {limit >> 20} MiB, which no paper is")
        return content

    def find(self, name: str, near: str = "", suffixes: tuple[str, ...] = TEX_SUFFIXES) -> str:
        """The file that a command names, in the paper's folder or that of `near`; "" if none."""
        wanted = name.strip().strip('"').replace("\\", "/")
        for base in ("", posixpath.dirname(near)):
            path = posixpath.normpath(posixpath.join(base, wanted))
            for suffix in (*suffixes, ""):
                if path + suffix in self._known:
                    return path + suffix
        return ""


def list_text_files(folder: Path) -> list[str]:
    """The LaTeX files in a folder, sorted; links that lead out of it are skipped."""
    root = folder.resolve()
    names: list[str] = []
    for name, folders, files in os.walk(root):
        inside = Path(name).relative_to(root)
        is_deepest = len(inside.parts) >= _MAX_FOLDER
        folders[:] = [] if is_deepest else sorted(f for f in folders if not f.startswith("."))
        for file in sorted(file for file in files if file.lower().endswith(TEXT_SUFFIXES)):
            target = (root / inside / file).resolve()
            if target.is_relative_to(root) and target.is_file():
                names.append((inside / file).as_posix())
        if len(names) >= _MAX_FILES:
            break
    return sorted(names[:_MAX_FILES])


def document_class(text: str) -> str | None:
    """The class of a file that can be a paper; None for parts, slides and stand-alone figures."""
    match = _CLASS.search(text)
    if match is None or _BEGIN.search(text) is None:
        return None
    name = match[1].strip()
    return None if _NO_PAPER.search(name.lower()) else name


def choose_main(files: PaperFiles) -> str | None:
    """The main file of a paper; None if there is none."""
    texts = {name: files.text(name) for name in files.names if name.lower().endswith(TEX_SUFFIXES)}
    mains = [name for name in texts if document_class(texts[name])]
    inputs = {
        name: {files.find(match[1]) for match in _INPUT.finditer(text)} - {""}
        for name, text in texts.items()
    }
    used = {part for parts in inputs.values() for part in parts}

    def rank(name: str) -> tuple[object, ...]:
        stem = name.rpartition(".")[0]
        title = _TITLE.search(texts[name])
        return (
            title is None or _TEMPLATE_TITLE.search(title[1]) is None,
            name not in used,
            _ASIDE_FOLDER.search(name) is None,
            _ASIDE_NAME.search(stem.rpartition("/")[2]) is None,
            -name.count("/"),
            f"{stem}.bbl" in files.names,
            len(texts[name]) + sum(len(texts.get(part, "")) for part in inputs[name]),
            name,
        )

    return max(mains, key=rank, default=None)
