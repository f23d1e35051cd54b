"""Passages of prose: docstrings of the package, paragraphs of the manual, help of the commands."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^\s*(```|~~~|:::)")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)]|:|>|#+)\s+")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")
_TAG = re.compile(r"<[^>]+>|\{[a-z-]+\}|\*+")


@dataclass(frozen=True)
class Passage:
    """Text that a person reads as one piece: a paragraph, a list item, a help text."""

    path: Path
    line: int
    text: str
    docstring: bool = False

    @property
    def where(self) -> str:
        """The file and line, as an editor opens them."""
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def manual() -> Iterator[Passage]:
    """Paragraphs, list items and headings of README and the pages of docs/."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        yield from paragraphs(path, path.read_text("utf-8"))


def package() -> Iterator[Passage]:
    """Docstrings and help texts of every module of the package."""
    for path in sorted((ROOT / "src").rglob("*.py")):
        yield from docstrings(path, path.read_text("utf-8"))


def docstrings(path: Path, source: str) -> Iterator[Passage]:
    """Docstrings of a module, its classes and functions, and the help of every option."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if doc := ast.get_docstring(node):
                yield from _docstring(path, node.body[0].lineno, doc)
        elif isinstance(node, ast.keyword) and node.arg == "help":
            text = getattr(node.value, "value", None)
            if isinstance(text, str):
                yield Passage(path, node.value.lineno, plain(text))


def paragraphs(path: Path, text: str) -> Iterator[Passage]:
    """Paragraphs of a Markdown text, without code, tables and generated blocks."""
    fenced, generated, lines, start = False, False, list[str](), 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        if line.startswith("<!--"):
            generated = line.startswith("<!-- begin")
        if _FENCE.match(line):
            fenced = not fenced
        skipped = fenced or generated or _FENCE.match(line) or line.startswith(("<!--", "|"))
        if lines and (skipped or not line.strip() or _ITEM.match(line)):
            yield Passage(path, start, plain(" ".join(lines)))
            lines = []
        if line.strip() and not skipped:
            start = start if lines else number
            lines.append(_ITEM.sub("", line).strip())


def plain(text: str) -> str:
    """Text without links' addresses, markup and code; code counts as one word."""
    return " ".join(_TAG.sub(" ", _CODE.sub("code", _LINK.sub(r"\1", text))).split())


def sentences(text: str) -> list[str]:
    """Sentences of a passage, cut at full stops that a capital, a number or a code follows."""
    return re.split(r"(?<=[.!?])\s+(?=[A-Z0-9\"'(]|code)", text)


def _docstring(path: Path, line: int, doc: str) -> Iterator[Passage]:
    lead, _, rest = doc.partition("\n\n")
    yield Passage(path, line, plain(lead), docstring=True)
    rest = re.sub(r"^(Args|Returns|Raises|Yields|Attributes):$", "", rest, flags=re.M)
    # Every argument is a passage of its own, as an item of a list is.
    rest = re.sub(r"^ {4}(?=[\w*]+: )", "    - ", rest, flags=re.M)
    for each in paragraphs(path, rest):
        yield Passage(path, line + 1 + each.line, each.text)
