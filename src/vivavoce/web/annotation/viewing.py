"""What the pages show: templates, words for where things stand, and guidelines as blocks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from vivavoce.web.annotation.kinds import Kind
from vivavoce.web.annotation.standing import Progress, Standing
from vivavoce.web.printing import figure, visible
from vivavoce.web.templating import environment_of

_HEADING = re.compile(r"#{1,6} +")
_BULLET = re.compile(r"[-*] +")
_NUMBER = re.compile(r"\d{1,3}[.)] +")

HEADINGS: Mapping[str, str] = {
    "distractors": "Does this paper belong in the table?",
    "demands": "Is this a good demand?",
    "qa": "Is this question grounded, and its answer right?",
    "preference": "Which text is better?",
}
"""What an item's page asks, by kind; a kind without one shows its title."""

STATES: Mapping[Standing, str] = {
    "lead": "You lead this campaign.",
    "campaign_paused": "The campaign is paused. Nothing is lost; come back later.",
    "paused": "You are paused.",
    "guidelines": "Read the guidelines to begin.",
    "failed": "You did not pass the trial. Thank you; ask the lead what comes next.",
    "qualification": "A trial with known answers comes first.",
    "working": "Items are waiting for you.",
}
"""Where a person stands, in words."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the guidelines."""

    kind: str
    """`heading`, `list`, `numbers` or `text`."""
    lines: Sequence[Sequence[tuple[str, str]]]
    """Each of (style, text), where the style is `plain`, `strong` or `em`."""


@dataclass(frozen=True, slots=True)
class Bar:
    """How far something is."""

    done: int
    total: int
    what: str
    own: int | None = None
    """Decided by the person who looks; None where the bar is theirs alone."""


@dataclass(frozen=True, slots=True)
class ShownField:
    """A question as a page needs it."""

    name: str
    question: str
    options: Sequence[object]
    texts: Mapping[str, str]
    """What each value is called."""


def make_templates() -> Environment:
    """The templates, in which everything is escaped and an unknown name is an error."""
    environment = environment_of("vivavoce.web.annotation")
    environment.filters["plain"] = plain
    environment.filters["spoken"] = spoken
    environment.filters["moment"] = moment
    environment.filters["percent"] = percent
    environment.filters["score"] = figure
    environment.globals["token"] = _token
    return environment


def plain(text: object) -> str:
    """Text of several lines, with what draws nothing spelled out."""
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(visible(line, None) for line in lines)


def spoken(name: str) -> str:
    """The name of a field as words."""
    words = visible(name).replace("_", " ")
    return words[:1].upper() + words[1:]


def moment(value: datetime | None) -> str:
    """A moment in UTC, to the minute."""
    return "–" if value is None else f"{value:%Y-%m-%d %H:%M} UTC"


def percent(value: float | None) -> str:
    """A share in percent, or a dash where there is none."""
    return "–" if value is None else f"{100 * value:.0f}%"


def fields_of(kind: Kind) -> list[ShownField]:
    """The questions of a kind."""
    return [
        ShownField(
            field.name,
            field.question,
            field.options,
            {option.value: option.text for option in field.options},
        )
        for field in kind.fields
    ]


def heading_of(kind: Kind) -> str:
    """What an item's page asks."""
    return HEADINGS.get(kind.name, kind.title)


def bar_of(progress: Progress, *, of_all: bool = False) -> Bar:
    """A trial is one's own; the main part is everybody's, and a lead has no share in it."""
    if progress.part == "qualification":
        return Bar(progress.decided, progress.items, "trial items")
    own = None if of_all else progress.decided
    return Bar(progress.done, progress.main_items, "items done", own)


def blocks_of(markdown: str) -> list[Block]:
    """The little Markdown that guidelines use: headings, lists, paragraphs and bold words."""
    blocks: list[Block] = []
    for piece in re.split(r"\n[ \t]*\n", markdown.replace("\r\n", "\n")):
        blocks += _blocks([line.strip() for line in piece.split("\n") if line.strip()])
    return blocks


def _blocks(lines: Sequence[str]) -> list[Block]:
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        kind, text = _read_mark(line)
        if kind == "text" and found and found[-1][0] != "heading":
            # Goes on with the paragraph, or with the last entry of a list.
            found[-1][1][-1] += " " + text
        elif kind in ("list", "numbers") and found and found[-1][0] == kind:
            found[-1][1].append(text)
        else:
            found.append((kind, [text]))
    return [Block(kind, [_pieces(line) for line in texts]) for kind, texts in found]


def _read_mark(line: str) -> tuple[str, str]:
    """What a line begins, by the mark it starts with, and the rest of it."""
    for kind, mark in (("heading", _HEADING), ("list", _BULLET), ("numbers", _NUMBER)):
        if match := mark.match(line):
            return kind, line[match.end() :]
    return "text", line


def _pieces(line: str) -> list[tuple[str, str]]:
    return [
        (style, text)
        for outer, part in _marked(line, "**", "strong")
        for style, text in ([(outer, part)] if outer == "strong" else _marked(part, "*", "em"))
        if text
    ]


def _marked(line: str, mark: str, style: str) -> list[tuple[str, str]]:
    """Text cut at a mark; every second piece stands between two."""
    parts = line.split(mark)
    if len(parts) % 2 == 0:
        # One mark has no partner.
        parts[-2:] = [mark.join(parts[-2:])]
    return [(style if place % 2 else "plain", part) for place, part in enumerate(parts)]


@pass_context
def _token(context: Context) -> Markup:
    """The field that proves a form to be ours."""
    value = escape(context["csrf"])
    return Markup('<input type="hidden" name="csrf" value="{}">').format(value)
