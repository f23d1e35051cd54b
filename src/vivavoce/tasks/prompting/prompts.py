"""Prompt templates: loaded from a folder, hashed, and rendered with the place of every slot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from vivavoce.errors import InputError
from vivavoce.store import hash_of

SUFFIX = ".md.j2"
_PACKAGE = Path(__file__).resolve().parent.parent.parent
_SHIPPED = f"{_PACKAGE.name}:"
"""Prefix of the place of shipped templates, as a log tells it."""

OWN = "this paper"
"""Name of the text of a sample's own paper, where a prompt names the sources of its parts."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt, and the place of each slot's text in it."""

    text: str
    spans: dict[str, Span]
    blocks: tuple[Span, ...] = ()
    """Parts that may be taken out as a whole, in this order; a later one may hold earlier ones."""
    parts: dict[str, Span] = field(default_factory=dict)
    """Parts that a setting or a method adds, such as `example 1`; logs tell what is left."""

    @property
    def json_spans(self) -> dict[str, list[int]]:
        """The spans as a sample's metadata hold them."""
        return {slot: list(span) for slot, span in self.spans.items()}

    def with_inner(self, slot: str, inner: Rendered) -> Rendered:
        """The same text, with the spans and blocks of what fills a slot in place of the slot."""
        shift = self.spans[slot][0]
        spans = {name: span for name, span in self.spans.items() if name != slot}
        spans |= {name: (start + shift, end + shift) for name, (start, end) in inner.spans.items()}
        blocks = tuple((start + shift, end + shift) for start, end in inner.blocks)
        return Rendered(self.text, spans, (*self.blocks, *blocks), self.parts)


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The templates of one family."""

    folder: Path
    sha256: str

    @property
    def place(self) -> str:
        """Place of the folder, for `folder_at`: of shipped ones the same on every machine."""
        folder = self.folder.resolve()
        if folder.is_relative_to(_PACKAGE):
            return _SHIPPED + folder.relative_to(_PACKAGE).as_posix()
        return str(folder)

    @property
    def name(self) -> str | None:
        """Name of the folder; None for shipped templates."""
        folder = self.folder.resolve()
        return None if folder.is_relative_to(_PACKAGE) else folder.name

    def render(self, name: str, slots: Mapping[str, str], values: Mapping[str, object]) -> Rendered:
        """Fill a template.

        Args:
            name: The template, such as `title`.
            slots: Texts of the item; the template must have each exactly once.
            values: Small values such as the number of words asked for.

        Raises:
            InputError: The template is missing or malformed, or does not have a slot once.
        """
        path = self.folder / f"{name}{SUFFIX}"
        markers = {slot: f"\ue000{slot}\ue001" for slot in slots}
        try:
            marked = _compiled(path.read_text("utf-8")).render({**values, **markers})
        except (OSError, jinja2.TemplateError, ValueError, TypeError, ArithmeticError) as error:
            raise InputError(f"{path} is not a usable prompt template: {error}") from error
        for slot, marker in markers.items():
            if marked.count(marker) != 1:
                raise InputError(f"{path} must hold the slot {{{{ {slot} }}}} exactly once.")
        return _place(marked, slots, markers)


@lru_cache(maxsize=256)
def _compiled(source: str) -> jinja2.Template:
    """A template made ready; a round's many items and their many parts use the same few."""
    environment = SandboxedEnvironment(
        undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=False
    )
    return environment.from_string(source)


def folder_at(place: str) -> Path:
    """The folder that `PromptSet.place` told; `InputError` for one that only looks shipped."""
    if not place.startswith(_SHIPPED):
        return Path(place)
    folder = (_PACKAGE / place.removeprefix(_SHIPPED)).resolve()
    if not folder.is_relative_to(_PACKAGE):
        raise InputError(
            f"{place} is not a folder of this package. Pass the folder of your prompts."
        )
    return folder


def load_prompts(folder: Path) -> PromptSet:
    """Open a folder of templates; `InputError` when it holds none, or one that is not UTF-8."""
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    if not paths:
        raise InputError(f"{folder} holds no prompt templates (files ending in {SUFFIX}).")
    try:
        sources = {path.name: path.read_text("utf-8") for path in paths}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{folder} holds a prompt template that is not text: {error}") from error
    return PromptSet(folder, hash_of(sources))


def _place(marked: str, slots: Mapping[str, str], markers: Mapping[str, str]) -> Rendered:
    """Put the texts where their markers stand; a text is never searched for markers."""
    pieces: list[str] = []
    spans: dict[str, Span] = {}
    length = position = 0
    for slot in sorted(markers, key=lambda slot: marked.index(markers[slot])):
        start = marked.index(markers[slot])
        before = marked[position:start]
        pieces += [before, slots[slot]]
        length += len(before)
        spans[slot] = (length, length + len(slots[slot]))
        length += len(slots[slot])
        position = start + len(markers[slot])
    pieces.append(marked[position:])
    return Rendered("".join(pieces), spans)


_REPLACED = "□"


def fence_mark(texts: Iterable[str]) -> str:
    """An ending for tags that occurs in none of the texts; the same texts give the same one.

    It depends on all texts together, so that the writer of one of them cannot foresee it.
    """
    texts = list(texts)
    count = 0
    while any((mark := hash_of([*texts, count])[:12]) in text for text in texts):
        count += 1
    return mark


def without_mark(text: str, mark: str) -> str:
    """A text that a model wrote after it saw the mark, which it may have been told to repeat."""
    return text.replace(mark, _REPLACED)
