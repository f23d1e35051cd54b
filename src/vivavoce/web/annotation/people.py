"""People: names, passwords, pseudonyms, and their parts in campaigns."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import get_args

from sqlalchemy import delete, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from vivavoce.errors import InputError
from vivavoce.web.annotation.tables import Campaign, Enrolment, LoginSession, Person, Role

ROLES: tuple[str, ...] = get_args(Role)
ACTIONS = ("pause", "resume", "admit", "refuse")
MIN_PASSWORD = 10
MAX_PASSWORD = 256
COST = 15
"""Of a hash: 2 to this power blocks of 1 KB, three times over."""

_BLOCK, _LANES = 8, 3
_NAME = re.compile(r"[a-z0-9][a-z0-9._@-]{0,63}")
# Without letters and digits that are mistaken for each other.
_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_CODE_LETTERS = "BCDFGHJKMNPQRSTVWXZ23456789"
_CODE_LENGTH = 5
_PASSWORD_GROUPS, _GROUP_LETTERS = 4, 4


def hash_password(password: str, *, cost: int = COST) -> str:
    """A password as it is stored: scrypt, with its cost and a salt of its own.

    Raises:
        InputError: It is shorter than 10 characters or longer than 256.
    """
    if not MIN_PASSWORD <= len(password) <= MAX_PASSWORD:
        raise InputError(
            f"A password has {MIN_PASSWORD} to {MAX_PASSWORD} characters; "
            f"this one has {len(password)}."
        )
    salt = secrets.token_bytes(16)
    return f"scrypt${cost}${salt.hex()}${_derive(password, salt, cost).hex()}"


def check_password(password: str, stored: str | None) -> bool:
    """Compare a password with the stored hash; takes as long where nobody has the name (None)."""
    parts = (stored or "").split("$")
    if len(parts) != 4 or len(password) > MAX_PASSWORD:
        _derive("", bytes(16), COST)
        return False
    _, cost, salt, digest = parts
    found = _derive(password, bytes.fromhex(salt), int(cost))
    return hmac.compare_digest(found, bytes.fromhex(digest))


def make_password() -> str:
    """A password of 79 random bits that can be read aloud."""
    groups = (
        "".join(secrets.choice(_LETTERS) for _ in range(_GROUP_LETTERS))
        for _ in range(_PASSWORD_GROUPS)
    )
    return "-".join(groups)


def add_person(session: Session, name: str, password: str, *, cost: int = COST) -> Person:
    """Add somebody who can log in, under a pseudonym of random letters.

    Raises:
        InputError: The name is no name or taken, or the password too short.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"{name!r} is not a name to log in with. Use up to 64 small letters, digits and . _ @ -"
        )
    if find_person(session, name) is not None:
        raise InputError(f"There is somebody called {name} already. Choose another name.")
    hashed = hash_password(password, cost=cost)
    person = Person(name=name, password_hash=hashed, code=new_code(session))
    session.add(person)
    session.flush()
    return person


def set_password(session: Session, person: Person, password: str, *, cost: int = COST) -> None:
    """Give somebody another password; every session of theirs ends."""
    person.password_hash = hash_password(password, cost=cost)
    session.execute(delete(LoginSession).where(LoginSession.person_id == person.id))


def find_person(session: Session, name: str) -> Person | None:
    """Somebody by the name they log in with."""
    return session.scalar(select(Person).where(Person.name == name))


def enrol(
    session: Session, campaign: Campaign, person: Person, role: str, now: datetime
) -> Enrolment:
    """Give somebody a part in a campaign, or another role in it.

    Raises:
        InputError: There is no such role.
    """
    if role not in ROLES:
        raise InputError(f"No role is called {role!r}. There are: {', '.join(ROLES)}.")
    enrolment = find_enrolment(session, campaign, person)
    if enrolment is None:
        enrolment = Enrolment(campaign=campaign, person=person, role=role)
        session.add(enrolment)
    enrolment.role = role
    session.add(enrolment.event("enrolled", now, role=role))
    session.flush()
    return enrolment


def find_enrolment(session: Session, campaign: Campaign, person: Person) -> Enrolment | None:
    """Somebody's part in a campaign."""
    return session.scalar(
        select(Enrolment).where(
            Enrolment.campaign_id == campaign.id, Enrolment.person_id == person.id
        )
    )


def enrolments_of(session: Session, person: Person) -> Sequence[Enrolment]:
    """Somebody's parts, by the campaign's name."""
    rows = select(Enrolment).join(Campaign).where(Enrolment.person_id == person.id)
    return session.scalars(rows.order_by(Campaign.name)).all()


def enrolments_in(
    session: Session, campaign: Campaign, order: InstrumentedAttribute[str]
) -> Sequence[Enrolment]:
    """Everybody's parts in a campaign, in the order of a fact of the people."""
    rows = select(Enrolment).join(Person).where(Enrolment.campaign_id == campaign.id)
    return session.scalars(rows.order_by(order)).all()


def change_part(
    session: Session,
    enrolment: Enrolment,
    action: str,
    now: datetime,
    *,
    reason: str = "",
    by: Person | None = None,
) -> None:
    """Pause somebody, who is shown the reason, or let them go on; admit or refuse them.

    Who is paused is handed no items; who is admitted or refused is qualified or not, whatever the
    qualification came to. `action` is one of `ACTIONS`.
    """
    who = by and by.code
    if action in ("admit", "refuse"):
        enrolment.qualification = "passed" if action == "admit" else "failed"
        event = enrolment.event("admitted", now, passed=action == "admit", by=who)
    elif action == "pause":
        enrolment.paused_at, enrolment.pause_reason = now, reason
        event = enrolment.event("paused", now, reason=reason, by=who)
    else:
        enrolment.paused_at, enrolment.pause_reason = None, ""
        event = enrolment.event("resumed", now, by=who)
    session.add(event)


def new_code(session: Session) -> str:
    """A pseudonym that nobody has."""
    while True:
        code = "P" + "".join(secrets.choice(_CODE_LETTERS) for _ in range(_CODE_LENGTH))
        if session.scalar(select(Person.id).where(Person.code == code)) is None:
            return code


def _derive(password: str, salt: bytes, cost: int) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "surrogatepass"),
        salt=salt,
        n=2**cost,
        r=_BLOCK,
        p=_LANES,
        # The memory it takes, and some room.
        maxmem=2 * 128 * _BLOCK * 2**cost,
    )
