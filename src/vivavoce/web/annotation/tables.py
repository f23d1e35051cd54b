"""The tables of the annotation database."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import DateTime, Dialect, ForeignKey, Index, Text, TypeDecorator, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

from vivavoce.store import canonical_json

Role = Literal["annotator", "adjudicator", "lead"]
Part = Literal["qualification", "main"]
Adjudication = Literal["adjudicators", "anyone"]
Json = Any


def clean(value: Json) -> Json:
    """A JSON value without what no database and no page takes: NULs, halves of surrogate pairs."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {clean(key): clean(inner) for key, inner in value.items()}
    return [clean(inner) for inner in value] if isinstance(value, list) else value


class _Moment(TypeDecorator[datetime]):
    """A moment with its zone, kept as UTC."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


class _Json(TypeDecorator[Json]):
    """JSON as text, the same in both databases."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Json, dialect: Dialect) -> str | None:
        if value is None:
            return None
        return canonical_json(clean(value))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Json:
        return None if value is None else json.loads(value)


class _CleanText(TypeDecorator[str]):
    """Text without what PostgreSQL does not take."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else str(clean(value))


class Table(DeclarativeBase):
    """A table of the database."""

    type_annotation_map = {datetime: _Moment, Json: _Json, str: _CleanText}  # noqa: RUF012


class Meta(Table):
    """Facts about the database itself."""

    __tablename__ = "meta"

    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class Campaign(Table):
    """Items of one kind that people judge."""

    __tablename__ = "campaign"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    guidelines: Mapped[str]
    pass_mark: Mapped[float]
    """Share of the qualification items that must be right."""
    seed: Mapped[int]
    adjudication: Mapped[str] = mapped_column(default="adjudicators")
    """Members of the second pair: `adjudicators`, or `anyone` who is qualified."""
    paused_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    def event(self, kind: str, at: datetime, person: Person | None = None, **detail: Json) -> Event:
        """Something that happened in the campaign."""
        of_person = person.id if person else None
        return Event(at=at, person_id=of_person, campaign_id=self.id, kind=kind, detail=detail)


class Person(Table):
    """Somebody who can log in."""

    __tablename__ = "person"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    password_hash: Mapped[str]
    """Empty for people who came with an export and cannot log in."""
    code: Mapped[str] = mapped_column(unique=True)
    """The pseudonym that exports show."""


class Enrolment(Table):
    """A person's part in a campaign."""

    __tablename__ = "enrolment"
    __table_args__ = (UniqueConstraint("campaign_id", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    role: Mapped[str]
    guidelines_read_at: Mapped[datetime | None]
    qualification: Mapped[str | None]
    """None until it is over, then `passed` or `failed`."""
    paused_at: Mapped[datetime | None]
    pause_reason: Mapped[str] = mapped_column(default="")

    campaign: Mapped[Campaign] = relationship(lazy="joined")
    person: Mapped[Person] = relationship(lazy="joined")

    def event(self, kind: str, at: datetime, **detail: Json) -> Event:
        """Something that happened to the person in the campaign."""
        return self.campaign.event(kind, at, self.person, **detail)


class Item(Table):
    """Something to judge."""

    __tablename__ = "item"
    __table_args__ = (
        UniqueConstraint("campaign_id", "key"),
        Index("item_state", "campaign_id", "part", "state"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    key: Mapped[str]
    ordinal: Mapped[int]
    """In the order of import, from 0."""
    part: Mapped[str]
    content: Mapped[Json]
    answer: Mapped[Json | None]
    """The known label of a qualification item, or of a control among the main items."""
    explanation: Mapped[str] = mapped_column(default="")
    cluster: Mapped[str]
    """Unit that the bootstrap draws, such as the table."""
    state: Mapped[str] = mapped_column(default="open")
    final: Mapped[Json | None]
    """The label that counts, once the item is done."""

    campaign: Mapped[Campaign] = relationship()


class Assignment(Table):
    """An item in the hands of a person; one person holds an item in one stage only."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("item_id", "person_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    stage: Mapped[str]
    shown_at: Mapped[datetime]
    """Moment at which it was first shown."""
    touched_at: Mapped[datetime]
    """Moment at which it was last shown, drafted or decided."""
    skipped_at: Mapped[datetime | None]
    released_at: Mapped[datetime | None]
    """Moment at which it went back to the others for lying untouched."""
    decided: Mapped[bool] = mapped_column(default=False)

    item: Mapped[Item] = relationship()
    person: Mapped[Person] = relationship()
    decisions: Mapped[list[Decision]] = relationship(
        back_populates="assignment", order_by="Decision.revision"
    )
    draft: Mapped[Draft | None] = relationship(back_populates="assignment")


class Decision(Table):
    """A decision of a person; a correction is a new revision, nothing is overwritten."""

    __tablename__ = "decision"
    __table_args__ = (UniqueConstraint("assignment_id", "revision"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"))
    revision: Mapped[int]
    """From 1."""
    label: Mapped[Json]
    note: Mapped[str] = mapped_column(default="")
    flag: Mapped[bool] = mapped_column(default=False)
    """Set by a person who is in doubt or finds the item faulty."""
    decided_at: Mapped[datetime]

    assignment: Mapped[Assignment] = relationship(back_populates="decisions")


class Draft(Table):
    """A label that is not sent yet, as on the person's page."""

    __tablename__ = "draft"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id"), primary_key=True)
    label: Mapped[Json]
    note: Mapped[str] = mapped_column(default="")
    flag: Mapped[bool] = mapped_column(default=False)
    saved_at: Mapped[datetime]

    assignment: Mapped[Assignment] = relationship(back_populates="draft")


class Feedback(Table):
    """A message of a lead to one person, or to all."""

    __tablename__ = "feedback"

    id: Mapped[int] = mapped_column(primary_key=True)
    campaign_id: Mapped[int] = mapped_column(ForeignKey("campaign.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    """None: everybody in the campaign."""
    text: Mapped[str]
    at: Mapped[datetime]


class FeedbackRead(Table):
    """Messages that a person has read."""

    __tablename__ = "feedback_read"

    feedback_id: Mapped[int] = mapped_column(ForeignKey("feedback.id"), primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), primary_key=True)
    read_at: Mapped[datetime]


class Event(Table):
    """Something that happened, in the order of `id`."""

    __tablename__ = "event"
    __table_args__ = (Index("event_kind", "campaign_id", "kind"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime]
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    campaign_id: Mapped[int | None] = mapped_column(ForeignKey("campaign.id"))
    kind: Mapped[str]
    detail: Mapped[Json]


class LoginSession(Table):
    """A person who is logged in; the token itself is never stored."""

    __tablename__ = "session"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    """None before login."""
    csrf: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    last_seen: Mapped[datetime]

    person: Mapped[Person | None] = relationship(lazy="joined")


class LoginAttempt(Table):
    """Somebody tried to log in."""

    __tablename__ = "login_attempt"
    __table_args__ = (Index("login_attempt_name", "name", "at"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    address: Mapped[str]
    at: Mapped[datetime]
    ok: Mapped[bool]
