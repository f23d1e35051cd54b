"""Who is logged in: sessions that outlive a restart, and a brake on guessing passwords."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from vivavoce.errors import VivaError
from vivavoce.web.annotation.people import check_password, find_person
from vivavoce.web.annotation.security import hash_token, new_token
from vivavoce.web.annotation.storage import Database, LoginAttempt, LoginSession

LIFETIME = timedelta(days=7)
"""After this a person logs in again, however busy."""
IDLE = timedelta(hours=12)
"""After this long without a page a person logs in again."""
WINDOW = timedelta(minutes=15)
"""For how long a wrong password counts."""
WRONG_HERE = 5
"""Wrong passwords for one name from one address, before both must wait."""
WRONG_ANYWHERE = 20
"""Wrong passwords for one name, or from one address, before it must wait."""

_SEEN_AFTER = timedelta(minutes=1)
_LONGEST_NAME = 200
# A check takes 32 MiB: however many ask at once, two are worked on.
_CHECKING = threading.BoundedSemaphore(2)


class WrongPassword(VivaError):
    """No such name, or another password; which of the two is not told."""

    def __init__(self) -> None:
        super().__init__("This name and this password do not belong together. Try again.")


class TooManyAttempts(VivaError):
    """Too many wrong passwords; `seconds` says how long to wait."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        minutes = math.ceil(seconds / 60)
        super().__init__(
            "There were too many wrong passwords. Try again in "
            f"{minutes} {'minute' if minutes == 1 else 'minutes'}."
        )


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who is logged in."""

    person_id: int
    name: str
    csrf: str


def find_visitor(database: Database, token: str | None, now: datetime) -> Visitor | None:
    """Whoever a cookie belongs to, or None when it is unknown, too old or was logged out."""
    if not token:
        return None
    key = hash_token(token)
    with database.reading() as session:
        found = session.get(LoginSession, key)
        if found is None or found.person is None:
            return None
        if now >= found.expires_at or now - found.last_seen >= IDLE:
            return None
        visitor = Visitor(found.person.id, found.person.name, found.csrf)
        is_due = now - found.last_seen >= _SEEN_AFTER
    if is_due:
        _touch(database, key, now)
    return visitor


def log_in(
    database: Database, name: str, password: str, *, address: str, old: str | None, now: datetime
) -> str:
    """Check a password and return the token of a new session; the old session ends.

    Raises:
        WrongPassword: The name or the password is wrong.
        TooManyAttempts: Too many were wrong before; this one was not even looked at.
    """
    name = name[:_LONGEST_NAME]
    _begin_attempt(database, name, address, now)
    with database.reading() as session:
        person = find_person(session, name)
        known = None if person is None else (person.id, person.password_hash)
    with _CHECKING:
        is_right = check_password(password, known[1] if known else None)
    if known is None or not is_right:
        raise WrongPassword
    token = new_token()
    with database.writing() as session:
        here = (LoginAttempt.name == name) & (LoginAttempt.address == address)
        session.execute(delete(LoginAttempt).where(here))
        session.execute(delete(LoginSession).where(LoginSession.expires_at <= now))
        if old:
            session.execute(delete(LoginSession).where(LoginSession.token_hash == hash_token(old)))
        session.add(
            LoginSession(
                token_hash=hash_token(token),
                person_id=known[0],
                csrf=new_token(),
                created_at=now,
                expires_at=now + LIFETIME,
                last_seen=now,
            )
        )
    return token


def log_out(database: Database, token: str | None) -> None:
    """End a session; its cookie opens nothing any more."""
    if token:
        with database.writing() as session:
            key = hash_token(token)
            session.execute(delete(LoginSession).where(LoginSession.token_hash == key))


def _touch(database: Database, key: str, now: datetime) -> None:
    with database.writing() as session:
        found = session.get(LoginSession, key)
        if found is not None:
            found.last_seen = max(found.last_seen, now)


def _begin_attempt(database: Database, name: str, address: str, now: datetime) -> None:
    """Count an attempt as wrong before its password is looked at, so that none slips by at once."""
    with database.writing() as session:
        session.execute(delete(LoginAttempt).where(LoginAttempt.at <= now - WINDOW))
        wait = _seconds_to_wait(session, name, address, now)
        if not wait:
            session.add(LoginAttempt(name=name, address=address, at=now, ok=False))
            return
    raise TooManyAttempts(wait)


def _seconds_to_wait(session: Session, name: str, address: str, now: datetime) -> int:
    """Until the oldest of the wrong ones in force no longer counts; 0 when there are few."""
    of_name, of_address = LoginAttempt.name == name, LoginAttempt.address == address
    limits = (
        (of_name & of_address, WRONG_HERE),
        (of_name, WRONG_ANYWHERE),
        (of_address, WRONG_ANYWHERE),
    )
    waits = [0]
    for which, limit in limits:
        times = session.scalars(
            select(LoginAttempt.at)
            .where(which, LoginAttempt.ok.is_(False))
            .order_by(LoginAttempt.at.desc())
            .limit(limit)
        ).all()
        if len(times) == limit:
            left = times[-1] + WINDOW - now
            waits.append(max(1, math.ceil(left.total_seconds())))
    return max(waits)
