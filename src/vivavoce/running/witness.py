"""Statements of runs, left with a witness: somebody other than who runs.

A witness is a folder that others can see, for instance a git repository, or the address of a
`viva witness serve`. A run states there when it starts and when it ends which hash its ledger
ends with; each statement is a file named by its own hash. Whoever keeps the witness may sign them
with the time: Ed25519, over the statement and the time in canonical JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.store import Row, canonical_json, hash_of, read_json, write_bytes, write_json

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

STATEMENTS = "statements"
"""Last part of the address of a server's statements."""
_TIMEOUT = 30
"""Seconds that a server may take."""
_FIELDS = {"kind", "head", "nonce", "asked"}
MAX_STATEMENT = 100_000
"""Bytes of a statement that a witness takes."""


def leave_statement(place: str, statement: Row) -> None:
    """Leave a statement in a folder or with a server.

    Raises:
        VivaError: The folder cannot be written or the server does not take it.
    """
    if not _is_address(place):
        keep_statement(Path(place), statement)
        return
    import httpx

    try:
        answer = httpx.post(_address(place), json=statement, timeout=_TIMEOUT)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise VivaError(
            f"The witness {place} took no statement ({error}). Run the same again when it is "
            "there: answers that are in the logs are not asked for again."
        ) from error


def keep_statement(folder: Path, statement: Row) -> Path:
    """Write a statement into a folder, once.

    Raises:
        InputError: It is no statement of a run.
    """
    problem = _problem(statement)
    if problem:
        raise InputError(f"no statement of a run: {problem}")
    path = folder / f"{hash_of(statement)}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_json(path, {"statement": statement})
    return path


def _problem(statement: Any) -> str:
    if not isinstance(statement, dict) or set(statement) != _FIELDS:
        return f"its fields are not {', '.join(sorted(_FIELDS))}"
    if any(not isinstance(statement[name], str) for name in ("kind", "head", "nonce")):
        return "kind, head and nonce are not all texts"
    return "too long" if len(canonical_json(statement)) > MAX_STATEMENT else ""


def read_statements(place: str, key: str | None = None) -> list[Row]:
    """Statements that a witness holds, in the order of their hashes.

    Args:
        place: A folder, or the address of a server.
        key: Public key in hexadecimal; only statements count that it signed. None for all.

    Raises:
        InputError: The place cannot be read, or a statement is not the one its name says.
        MissingExtra: Signatures cannot be checked for want of the package `cryptography`.
    """
    found: list[Row] = []
    for name, kept in sorted(_kept(place)):
        statement: Row = kept.get("statement") or {}
        if _problem(statement) or hash_of(statement) != name:
            raise InputError(f"{place}: {name} is not the statement that it was.")
        if key is None or _is_signed(kept, key):
            found.append(statement)
    return found


def _kept(place: str) -> Iterator[tuple[str, Row]]:
    if not _is_address(place):
        if not Path(place).is_dir():
            raise InputError(f"The witness {place} is no folder. Name one, or an http address.")
        for path in Path(place).glob("*.json"):
            yield path.stem, read_json(path)
        return
    import httpx

    try:
        answer = httpx.get(_address(place), timeout=_TIMEOUT).raise_for_status()
        yield from answer.json().items()
    except (httpx.HTTPError, ValueError, AttributeError) as error:
        raise InputError(f"The witness {place} cannot be read: {error}") from error


def _is_address(place: str) -> bool:
    return place.startswith(("http://", "https://"))


def _address(place: str) -> str:
    return f"{place.rstrip('/')}/{STATEMENTS}"


def make_key(path: Path) -> str:
    """Write a new private key, readable for its owner alone, and return the public one.

    Raises:
        InputError: The file exists.
        MissingExtra: The package `cryptography` is not installed.
    """
    private = _ed25519().Ed25519PrivateKey.generate()
    if path.exists():
        raise InputError(f"{path} exists. Choose another file: a lost key cannot sign again.")
    path.touch(mode=0o600)
    write_bytes(path, private.private_bytes_raw().hex().encode() + b"\n")
    path.chmod(0o600)
    return str(private.public_key().public_bytes_raw().hex())


def read_key(path: Path) -> Ed25519PrivateKey:
    """The private key that `make_key` wrote.

    Raises:
        InputError: The file holds none.
        MissingExtra: The package `cryptography` is not installed.
    """
    try:
        raw = bytes.fromhex(path.read_text("utf-8").strip())
        key: Ed25519PrivateKey = _ed25519().Ed25519PrivateKey.from_private_bytes(raw)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} holds no key: viva witness key writes one.") from error
    return key


def sign_statements(folder: Path, key: Ed25519PrivateKey, time: str) -> Sequence[str]:
    """Sign the statements of a folder that are not signed yet; returns their hashes.

    `time` is when they were seen, in ISO 8601.
    """
    signed = []
    for path in sorted(folder.glob("*.json")):
        kept = read_json(path)
        if "signature" not in kept:
            kept |= {"time": time, "key": key.public_key().public_bytes_raw().hex()}
            kept["signature"] = key.sign(_message(kept)).hex()
            write_json(path, kept)
            signed.append(path.stem)
    return signed


def _is_signed(kept: Row, key: str) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        public = _ed25519().Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
    except ValueError as error:
        raise InputError(f"{key!r} is no public key: viva witness key prints it.") from error
    try:
        public.verify(bytes.fromhex(str(kept.get("signature", ""))), _message(kept))
    except (InvalidSignature, ValueError):
        return False
    return True


def _message(kept: Row) -> bytes:
    return canonical_json({name: kept.get(name) for name in ("statement", "time")}).encode()


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingExtra("cryptography", "witness", "Signing statements") from error
    return ed25519
