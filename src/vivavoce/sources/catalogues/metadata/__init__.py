"""Reader of paper metadata in Parquet, JSON Lines or CSV, plain or gzip: one paper per row."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from vivavoce.errors import InputError
from vivavoce.records import Author, Document, Fault
from vivavoce.sources import Piece, ReadOptions, Source, has_suffix
from vivavoce.sources.catalogues.metadata.tabular import (
    DAMAGE,
    BadFile,
    column_names,
    cut,
    read_rows,
)
from vivavoce.sources.json_records import read_documents
from vivavoce.text.dates import parse_date, parse_month
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_doi
from vivavoce.text.normalise import clean_line, clean_text

COLUMNS = tuple(
    "id title abstract authors author_ids published year month categories doi arxiv_id"
    " source_url venues booktitle venue licence file".split()
)

IDENTITIES = ("id", "doi", "arxiv_id", "source_url", "file")

# The Anthology's DOIs end with its own id.
_ACL_DOIS = ("10.18653/v1/", "10.3115/v1/")
_BETWEEN_TERMS = re.compile(r"[\s,]+")
_SCHEME = re.compile(r"[a-z]{2,6}://(?:www\.)?", re.IGNORECASE)

Row = Mapping[str, Any]


def document_from(row: Row) -> Document:
    """The document of a row, or `InputError`; a DOI or arXiv id that cannot be read is ignored."""
    given, url = _to_name(row.get("id"), "id"), _text(row.get("source_url"), "source_url")
    path = (_text(row.get("file"), "file") or "").replace("\\", "/")
    file = path.rstrip("/").rpartition("/")[2] or None
    doi_text, arxiv_text = _text(row.get("doi"), "doi"), _text(row.get("arxiv_id"), "arxiv_id")
    doi = find_doi(doi_text) if doi_text else None
    if doi is None and given and given.startswith("10."):
        doi = find_doi(given)
    doi = doi or find_doi(url or "")
    places = filter(None, (arxiv_text, given, url, file, doi))
    arxiv_id = next((known[0] for place in places if (known := find_arxiv_id(place))), None)
    acl_doi = doi if doi and doi.startswith(_ACL_DOIS) else None
    places = filter(None, (given, url, file, acl_doi))
    acl_id = next((anthology_id for place in places if (anthology_id := find_acl_id(place))), None)
    is_named = bool(given or url or doi or (arxiv_text and arxiv_id))
    if not is_named and not file:
        raise InputError(f"the row has none of {', '.join(IDENTITIES)}: one is needed")
    key = _key(arxiv_id, acl_id, doi, given, url) if is_named else f"file:{file}"
    return Document(
        kind="metadata",
        key=key,
        source_file=file,
        given_id=given,
        arxiv_id=arxiv_id,
        acl_id=acl_id,
        doi=doi,
        source_url=url,
        title=_line(row.get("title"), "title"),
        abstract=_text(row.get("abstract"), "abstract"),
        published=_published(row),
        categories=tuple(_terms(row, "categories", spaces=True)),
        venue="; ".join(_terms(row, "venues"))
        or _line(row.get("booktitle"), "booktitle")
        or _line(row.get("venue"), "venue"),
        licence=_line(row.get("licence"), "licence"),
        authors=_authors(row),
    )


def _is_absent(value: Any) -> bool:
    # NaN is how data frames write a missing cell.
    is_blank = isinstance(value, str) and not value.strip()
    return value is None or value == [] or is_blank or value != value


def _text(value: Any, what: str) -> str | None:
    if _is_absent(value):
        return None
    if not isinstance(value, str):
        raise InputError(f"{what} is of the type {type(value).__name__} instead of text")
    return clean_text(value).strip() or None


def _line(value: Any, what: str) -> str | None:
    return clean_line(_text(value, what) or "") or None


def _to_name(value: Any, what: str) -> str | None:
    """Text of an id, which may be a whole number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(int(value)) if is_number and value == int(value) else _text(value, what)


def _key(
    arxiv_id: str | None, acl_id: str | None, doi: str | None, given: str | None, url: str | None
) -> str:
    """The strongest identity of a row, other than its file."""
    if arxiv_id:
        return f"arxiv:{arxiv_id}"
    if acl_id:
        return f"acl:{acl_id}"
    if doi:
        return f"doi:{doi}"
    if given:
        return f"id:{given}"
    # An address without scheme, `www.`, fragment and final slash, its host in lower case.
    bare = _SCHEME.sub("", url or "", count=1).split("#", 1)[0].rstrip("/")
    host, slash, rest = bare.partition("/")
    return f"url:{host.lower()}{slash}{rest}"


def _published(row: Row) -> str | None:
    """The date in `published`, else the year with its month."""
    # Data frames write `.0` after a whole number in CSV.
    cells = {name: row.get(name) for name in ("published", "year", "month")}
    given = {
        name: value.strip().removesuffix(".0") if isinstance(value, str) else value
        for name, value in cells.items()
        if not _is_absent(value)
    }
    parsed = parse_date(given.get("published", given.get("year")))
    if "published" in given:
        if parsed is None:
            shown = repr(given["published"])[:80]
            raise InputError(f"published {shown} is not a date: YYYY-MM-DD, YYYY-MM or YYYY")
        return parsed[0]
    if "year" not in given:
        if "month" in given:
            raise InputError(f"month {repr(given['month'])[:80]} has no year beside it")
        return None
    if parsed is None or parsed[1] != "year":
        raise InputError(f"year {repr(given['year'])[:80]} is not a year: YYYY")
    if "month" not in given:
        return parsed[0]
    number = parse_month(given["month"])
    if number is None:
        shown = repr(given["month"])[:80]
        raise InputError(f"month {shown} is not a month: a number or an English name")
    return f"{parsed[0]}-{number:02d}"


def _terms(row: Row, column: str, *, spaces: bool = False) -> list[str]:
    """Terms of a list, or of text split at `;` (with `spaces`, at spaces if it has no `;`)."""
    value = row.get(column)
    if _is_absent(value):
        return []
    if isinstance(value, str):
        separated = spaces and ";" not in value
        parts: list[Any] = _BETWEEN_TERMS.split(value) if separated else value.split(";")
    elif isinstance(value, list | tuple):
        parts = list(value)
    else:
        raise InputError(
            f"{column} is of the type {type(value).__name__} instead of a list or text"
        )
    return [term for part in parts if (term := _line(part, f"an entry of {column}"))]


def _authors(row: Row) -> tuple[Author, ...]:
    names, ids = _entries(row, "authors"), _entries(row, "author_ids")
    if not any(ids):
        ids = [None] * len(names)
    if len(names) != len(ids):
        raise InputError(f"author_ids has {len(ids)} entries, authors has {len(names)}")
    return tuple(filter(None, map(_author, names, ids)))


def _entries(row: Row, column: str) -> list[Any]:
    value = row.get(column)
    if _is_absent(value):
        return []
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str):
        raise InputError(
            f"{column} is of the type {type(value).__name__} instead of a list or text"
        )
    if value.lstrip().startswith("["):
        try:
            return list(json.loads(value))
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"{column} looks like a list but is not JSON: separate entries with ;"
            ) from error
    entries = value.split(";")
    return entries if entries[-1].strip() else entries[:-1]


def _author(name: Any, author_id: Any) -> Author | None:
    """An author; None if the entry has no name."""
    if isinstance(name, dict):
        author_id = author_id if not _is_absent(author_id) else name.get("id")
        name = name.get("name")
    text = _line(name, "an entry of authors")
    return Author(text, _to_name(author_id, "an entry of author_ids")) if text else None


_SUFFIXES = (".parquet", ".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz", ".csv", ".csv.gz")
_NAMES_SHOWN = 50

_Value = TypeVar("_Value")


def unknown_columns(path: Path, options: ReadOptions) -> list[str]:
    """Ignored columns of a file; in JSON Lines, those that occur in the first 10,000 rows.

    Raises `InputError` for a missing file, and for a rename from or to a column that is unknown.
    """
    _check_targets(options.rename)
    try:
        columns = column_names(path, options.rename)
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist.") from error
    except (BadFile, *DAMAGE):
        return []  # reading the file says what is wrong
    _check_sources(options.rename, columns, path)
    used = set(_in_own_fields({column: column for column in columns}, options.rename).values())
    return [column for column in columns if column not in used]


def _read(piece: Piece, options: ReadOptions) -> Iterator[Document | Fault]:
    """Read the documents of a piece; raises `InputError` only for a rename that cannot be done."""
    rename = options.rename
    _check_targets(rename)
    if rename and piece.start == 0:
        with suppress(BadFile, *DAMAGE):  # reading the file says what is wrong
            _check_sources(rename, column_names(piece.path, rename), piece.path)
    return read_documents(
        read_rows(piece, dict.fromkeys((*COLUMNS, *rename))),
        lambda row, where: document_from(_in_own_fields(row, rename) if rename else row),
    )


def _in_own_fields(row: Mapping[str, _Value], rename: Mapping[str, str]) -> dict[str, _Value]:
    """Rename the columns of a row to fields; a renamed column wins over one of the same name."""
    own = {name: value for name, value in row.items() if name in COLUMNS and name not in rename}
    return {**own, **{field: row[column] for column, field in rename.items() if column in row}}


def _check_targets(rename: Mapping[str, str]) -> None:
    targets = list(rename.values())
    for column, field in rename.items():
        if field not in COLUMNS:
            raise InputError(
                f"--map {column}={field}: there is no field {field!r}. "
                f"Choose from: {', '.join(COLUMNS)}."
            )
        if targets.count(field) > 1:
            raise InputError(f"--map {column}={field}: several columns are mapped to {field!r}.")


def _check_sources(rename: Mapping[str, str], columns: Iterable[str], path: Path) -> None:
    there = list(columns)
    for column, field in rename.items():
        if column not in there:
            raise InputError(
                f"--map {column}={field}: {path} has no column {column!r}. "
                f"It has: {', '.join(there[:_NAMES_SHOWN])}."
            )


SOURCE = Source(
    kind="metadata",
    summary="titles, authors, dates and identifiers in Parquet, JSON Lines or CSV, plain or gzip",
    is_metadata=True,
    matches=has_suffix(*_SUFFIXES),
    pieces=cut,
    read=_read,
    ignored_columns=unknown_columns,
    holds_many=True,
)
