"""Prompt templates: loaded from a folder, hashed, and rendered with the span of every slot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import jinja2
from jinja2.sandbox import SandboxedEnvironment

from vivavoce.errors import InputError
from vivavoce.store import hash_of
from vivavoce.tasks import package_folders

SUFFIX = ".md.j2"
OWN = "this paper"
"""Source name of the sample's own paper in a prompt."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Rendered:
    """A prompt with the span of each slot."""

    text: str
    spans: dict[str, Span]
    blocks: tuple[Span, ...] = ()
    """Removable blocks in order of removal; a later one may contain earlier ones."""
    parts: dict[str, Span] = field(default_factory=dict)
    """Parts that a setting or a method adds, such as `example 1`; logs record their state."""

    def with_inner(self, slot: str, inner: Rendered) -> Rendered:
        """Replace a slot's span with the spans and blocks of its content."""
        start = self.spans[slot][0]
        spans = {name: span for name, span in self.spans.items() if name != slot}
        spans |= {name: shifted(span, start) for name, span in inner.spans.items()}
        blocks = [shifted(span, start) for span in inner.blocks]
        return Rendered(self.text, spans, (*self.blocks, *blocks), self.parts)


def shifted(span: Span, by: int) -> Span:
    """A span that begins some characters later."""
    return span[0] + by, span[1] + by


def join_texts(texts: Iterable[str], between: str = "\n\n") -> tuple[str, list[Span]]:
    """Join texts; also return the span of each."""
    pieces, spans, start = list(texts), [], 0
    for piece in pieces:
        spans.append((start, start + len(piece)))
        start += len(piece) + len(between)
    return between.join(pieces), spans


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The templates of one family."""

    folder: Path
    sha256: str

    @property
    def place(self) -> str:
        """Place of the folder, for `folder_at`; for shipped templates the same on every machine."""
        folder = self.folder.resolve()
        for package, root in package_folders().items():
            if folder.is_relative_to(root):
                return f"{package}:{folder.relative_to(root).as_posix()}"
        return str(folder)

    @property
    def name(self) -> str | None:
        """Name of the folder; None for templates that a package ships."""
        folder = self.folder.resolve()
        is_shipped = any(folder.is_relative_to(root) for root in package_folders().values())
        return None if is_shipped else folder.name

    def render(self, name: str, slots: Mapping[str, str], values: Mapping[str, object]) -> Rendered:
        """Fill a template with an item's texts, each exactly once, and small values.

        `InputError` for a template that is missing or malformed, or lacks or repeats a slot.
        """
        path = self.folder / f"{name}{SUFFIX}"
        markers = {slot: f"\ue000{slot}\ue001" for slot in slots}
        try:
            marked = _compiled(path.read_text("utf-8")).render({**values, **markers})
        except (OSError, jinja2.TemplateError, ValueError, TypeError, ArithmeticError) as error:
            raise InputError(f"{path} is not a usable prompt template: {error}") from error
        for slot, marker in markers.items():
            if marked.count(marker) != 1:
                raise InputError(f"{path} must have the slot {{{{ {slot} }}}} exactly once.")
        return _place(marked, slots, markers)


@lru_cache(maxsize=256)
def _compiled(source: str) -> jinja2.Template:
    """Compile a template; cached, since items share few templates."""
    environment = SandboxedEnvironment(
        undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=False
    )
    return environment.from_string(source)


def folder_at(place: str) -> Path:
    """The folder of a `PromptSet.place`; `InputError` if it only looks shipped."""
    package, _, inside = place.partition(":")
    root = package_folders().get(package)
    if root is None:
        return Path(place)
    folder = (root / inside).resolve()
    if not folder.is_relative_to(root):
        raise InputError(
            f"{place} is not a folder of this package. Pass the folder of your prompts."
        )
    return folder


def load_prompts(folder: Path) -> PromptSet:
    """Open a folder of templates; `InputError` if it has none, or one is not UTF-8."""
    paths = sorted(folder.glob(f"*{SUFFIX}"))
    if not paths:
        raise InputError(f"{folder} has no prompt templates (files ending in {SUFFIX}).")
    try:
        sources = {path.name: path.read_text("utf-8") for path in paths}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{folder} has a prompt template that is not UTF-8 text: {error}"
        ) from error
    return PromptSet(folder, hash_of(sources))


@lru_cache(maxsize=4)
def prompts_at(place: str) -> PromptSet:
    """Open the folder of a `PromptSet.place`; recent ones are cached."""
    return load_prompts(folder_at(place))


def _place(marked: str, slots: Mapping[str, str], markers: Mapping[str, str]) -> Rendered:
    """Replace markers with texts; texts are not searched for markers."""
    text, end = "", 0
    spans: dict[str, Span] = {}
    for slot in sorted(markers, key=lambda slot: marked.index(markers[slot])):
        start = marked.index(markers[slot])
        text += marked[end:start]
        spans[slot] = (len(text), len(text) + len(slots[slot]))
        text += slots[slot]
        end = start + len(markers[slot])
    return Rendered(text + marked[end:], spans)


_REPLACED = "□"


def fence_mark(texts: Iterable[str]) -> str:
    """A suffix for tags that occurs in none of the texts, and depends only on them.

    It depends on all texts together, so the author of one cannot predict it.
    """
    texts = list(texts)
    count = 0
    while any((mark := hash_of([*texts, count])[:12]) in text for text in texts):
        count += 1
    return mark


def without_mark(text: str, mark: str) -> str:
    """Remove the mark from the text of a model that saw it and may repeat it."""
    return text.replace(mark, _REPLACED)
