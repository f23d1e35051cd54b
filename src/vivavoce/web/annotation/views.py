"""Views for pages: items as their people may see them, words, guidelines, templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from jinja2 import Environment, pass_context
from jinja2.runtime import Context
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape
from sqlalchemy.orm import Session

from vivavoce.store import Row
from vivavoce.web.annotation.assignment import (
    NotAllowed,
    is_swapped,
    own_assignments,
)
from vivavoce.web.annotation.kinds import Kind, find_kind
from vivavoce.web.annotation.tables import Assignment, Decision, Draft, Enrolment, Item
from vivavoce.web.printing import figure, visible
from vivavoce.web.templating import environment_of


@dataclass(frozen=True, slots=True)
class Shown:
    """An assignment as its person may see it: no answer, no explanation, nobody's label."""

    assignment: Assignment
    kind: Kind
    content: Row
    label: Mapping[str, str]
    """Of the draft, or the decision that may be corrected; empty or partial where there is none."""
    note: str
    flag: bool
    revision: int
    """The revision that `submit` takes next."""
    swapped: bool
    """True if its two sides have changed places."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A qualification item with its solution."""

    item: Item
    label: Mapping[str, str]
    answer: Mapping[str, str]
    right: bool
    explanation: str


class _Prose(RendererHTML):
    """Headings below the page's own, and text with what draws nothing spelled out."""

    def text(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return escape(visible(tokens[idx].content, None))

    def heading_open(self, *_: object) -> str:
        return "<h2>"

    def heading_close(self, *_: object) -> str:
        return "</h2>\n"


def show(session: Session, assignment: Assignment) -> Shown:
    """View of an assignment for its person."""
    campaign = assignment.item.campaign
    kind = find_kind(campaign.kind)
    swapped = is_swapped(campaign, assignment.person.code, assignment.item.key)
    last: Draft | Decision | None = assignment.draft
    label: Mapping[str, str] = last.label if last is not None else {}
    if last is None and assignment.decisions:
        last = assignment.decisions[-1]
        label = kind.restore(last.label, swapped)
    return Shown(
        assignment=assignment,
        kind=kind,
        content=kind.present(assignment.item.content, swapped),
        label=label,
        note=last.note if last else "",
        flag=last.flag if last else False,
        revision=len(assignment.decisions) + 1,
        swapped=swapped,
    )


def review(session: Session, enrolment: Enrolment) -> list[Reviewed]:
    """The person's qualification with its solutions, in their own order.

    Raises:
        NotAllowed: It is not over.
    """
    if enrolment.qualification is None:
        raise NotAllowed("The solutions are shown when every item is decided.", "qualification")
    rows = session.scalars(
        own_assignments(enrolment)
        .where(Assignment.stage == "qualification", Assignment.decided)
        .order_by(Assignment.id)
    )
    found = []
    for row in rows:
        label, answer = row.decisions[-1].label, row.item.answer or {}
        found.append(Reviewed(row.item, label, answer, label == answer, row.item.explanation))
    return found


@lru_cache(maxsize=32)
def guidelines_html(markdown: str) -> Markup:
    """Guidelines as HTML: headings, lists, paragraphs and emphasis; all else stays text."""
    reader = MarkdownIt("zero", renderer_cls=_Prose).enable(["heading", "list", "emphasis"])
    return Markup(reader.render(markdown))


def make_templates() -> Environment:
    """The templates, in which everything is escaped and an unknown name is an error."""
    environment = environment_of("vivavoce.web.annotation")
    filters = {
        "plain": plain,
        "spoken": spoken,
        "moment": moment,
        "percent": percent,
        "score": figure,
        "prose": guidelines_html,
    }
    environment.filters.update(filters)
    environment.globals |= {"token": _token, "find_kind": find_kind}
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


@pass_context
def _token(context: Context) -> Markup:
    """The field that proves a form to be ours."""
    value = escape(context["csrf"])
    return Markup('<input type="hidden" name="csrf" value="{}">').format(value)
