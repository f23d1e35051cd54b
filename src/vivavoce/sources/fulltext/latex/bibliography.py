"""References of a LaTeX paper: `thebibliography`, a .bbl file, or cited entries of .bib files."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.layout import Layout
from vivavoce.sources.fulltext.latex.macros import expand
from vivavoce.sources.fulltext.latex.tokens import unescaped
from vivavoce.sources.fulltext.latex.typeset import Typesetter, plain_text
from vivavoce.sources.fulltext.model import CitationStyle, Entry
from vivavoce.sources.fulltext.references import (
    are_names,
    printed_year,
    short_names,
    title_of_blocks,
)
from vivavoce.text.identifiers import find_year

_ITEM = frozenset({"\\bibitem"})
_TITLES = frozenset({"\\showarticletitle", "\\bibfield", "\\bibinfo", "\\btitle", "\\enquote"})
_INITIALS = re.compile(r"(?:[^\W\d_]{1,2}(?:\.[\s-]?|\s|-|$)){1,4}|[^\W\d_a-z]{1,3}\.?")
_AND = re.compile(r"\s+(?:and|&)\s+|\s*,\s*(?:and|&)\s+|\s*[,;]\s*")
_OTHERS = re.compile(r"\bet\s+al\b|\bothers\b", re.IGNORECASE)
_EMPHASIS = frozenset({"\\emph", "\\textit", "\\textsl"})
_MIN_TITLE = 3
"""Fewest words in an emphasised title; fewer may be the name of a book or a journal."""
_SAME_AUTHORS = "———"
_MAX_RAW = 3_000

_PACKAGES = frozenset({"\\usepackage", "\\RequirePackage"})
_BIB = frozenset({"\\bibliography", "\\addbibresource", "\\addglobalbib", "\\nobibliography"})
_CLASSES = frozenset({"\\documentclass", "\\documentstyle"})
_STYLE = frozenset({"\\bibliographystyle"})
_NUMERIC_STYLE = re.compile(
    r"(?:plain|unsrt|abbrv|ieeetr|ieee|acm|siam|splncs|elsarticle-num|nature|apsrev|aps|vancouver"
    r"|spmpsci|sn-(?:nature|vancouver|mathphys|basic)|IEEEtran|ACM-Reference)(?!nat)",
    re.IGNORECASE,
)
_BRACKETS_PACKAGE = re.compile(
    r"(?:acl|emnlp|naacl|coling|eacl|ijcnlp|lrec|conll|semeval|aaai|apacite|tacl)", re.IGNORECASE
)
_BIB_ENTRY = re.compile(r"@[ \t]{0,9}([A-Za-z]{1,40})\s{0,99}[{(]\s{0,99}([^\s,{}()=]{0,300})")
_JOINED = re.compile(r'"([^"]*)"|([A-Za-z_][\w-]{0,60})')
_MAX_ENTRY = 100_000
_MAX_FIELD = 5_000
_MAX_STRINGS = 2_000
_NO_ENTRIES = frozenset({"comment", "preamble", "string"})
_MAX_ENTRIES = 5_000
_BIBLATEX_ENTRY = re.compile(r"\\entry\{([^{}]{1,300})\}\{([^{}]{0,60})\}")
_FIELD = re.compile(
    r"\\field\{(title|subtitle|year|journaltitle|booktitle|eprint|note)\}\{(.{0,2000})\}\s*$", re.M
)
_VERB = re.compile(r"\\verb\{(doi|eprint|url)\}\s*\n\s*\\verb (\S{1,500})")
_NAME_LIST = re.compile(r"\\name\{(?:author|editor)\}\{(\d{1,5})\}")
_AFTER_NAMES = re.compile(r"\n\s*\\(?:name|list|strng|field)\b")
_PERSON = re.compile(r"\{\{[^{}]{0,200}hash=[^{}]{0,200}\}")
_PART = re.compile(r"\b(family|given|prefix)=\{((?:[^{}]|\{[^{}]{0,200}\}){0,300})\}")
_ONE_NAME = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
"""A name without parts, such as that of an organisation: braces around the whole."""
_AMS_ENTRY = frozenset({"\\bib"})
_AMS_FIELD = re.compile(
    r"(?:^|[,\s])([a-z]{2,20})\s{0,9}=\s{0,9}\{((?:[^{}]|\{[^{}]{0,500}\}){0,2000})\}"
)
_VENUES = ("journal", "journaltitle", "booktitle", "publisher", "school", "institution")


def read_items(layout: Layout) -> list[Entry]:
    r"""The entries of the `\bibitem` commands in a layout, in order."""
    setter = Typesetter(layout)
    places = list(layout.find(_ITEM))[:_MAX_ENTRIES]
    entries: list[Entry] = []
    for place, following in pairwise([*places, len(layout.tokens)]):
        label = layout.option(place + 1)
        key = layout.group(label.after if label else place + 1)
        if key is None:
            continue
        end = next(
            (
                position
                for position in range(key.after, following)
                if layout.tokens[position].startswith("\\end{theb")
            ),
            following,
        )
        printed = setter.line(label.start, label.end) if label else ""
        entry = _item(setter, layout.source(key), printed, key.after, end)
        if entry.raw.startswith(_SAME_AUTHORS) and entries:
            entry = replace(entry, surnames=entries[-1].surnames)
        entries.append(entry)
    return entries


def _item(setter: Typesetter, key: str, label: str, start: int, end: int) -> Entry:
    layout = setter.layout
    cuts = [start, *layout.find(frozenset({"\\newblock"}), start, end), end]
    blocks = [setter.line(first, second) for first, second in pairwise(cuts)]
    raw = " ".join(block for block in blocks if block).replace("( ", "(")[:_MAX_RAW]
    surnames, first = _names(label, blocks[0])
    has_others = len(surnames) > 2 or _OTHERS.search(label.partition("(")[0]) is not None
    # A natbib label, such as `Smith et al.(2015)Smith, Jones, and Kim`.
    names, bracket, rest = label.partition("(")
    shown = " ".join(names.split()) if bracket and len(names) < 200 else ""
    return Entry(
        key=key.strip(),
        raw=raw,
        titles=[_marked_title(setter, start, end), title_of_blocks(blocks, raw)],
        years=[label, printed_year(raw)],
        surnames=[first or ""],
        names=shown or short_names(surnames, has_others=has_others),
        without_year="" if rest == ")" else "n.d.",
        links="".join(layout.tokens[start:end])[:_MAX_RAW],
    )


def _names(label: str, block: str) -> tuple[list[str], str | None]:
    """Surnames of the authors, and the first author's name."""
    parts = [part.strip(" .") for part in _AND.split(block[:2000]) if part.strip(" .")]
    if not parts:
        return [], None
    if len(parts) > 1 and _INITIALS.fullmatch(parts[1] + "."):  # Smith, J., Jones, K.
        first = f"{parts[1]}. {parts[0]}"
        return [name for name in parts if not _INITIALS.fullmatch(name + ".")][:3], first
    names = [part for part in parts if len(part) < 60 and not any(map(str.isdigit, part))]
    if not names or len(names[0].split()) > 6:
        return [], None
    first = names[0]
    listed = label.rpartition(")")[2] if "(" in label else ""
    known = [part for part in _AND.split(listed) if part] if listed else []
    return known or [name.split()[-1] for name in names[:3]], first


def _marked_title(setter: Typesetter, start: int, end: int) -> str:
    layout = setter.layout
    for place in layout.find(_TITLES, start, end):
        group = layout.group(place + 1)
        if group is None:
            continue
        if layout.tokens[place] in {"\\bibinfo", "\\bibfield"}:
            if layout.source(group).strip() != "title":
                continue
            group = layout.group(group.after)
        if group is not None and (title := setter.line(group.start, group.end)):
            return title.rstrip(" .,")
    # Emphasised text right after the authors is the title; later it is a journal or a book.
    emphasis = next(layout.find(_EMPHASIS, start, end), None)
    group = layout.group(emphasis + 1) if emphasis is not None else None
    if emphasis is None or group is None or not are_names(setter.line(start, emphasis)):
        return ""
    title = setter.line(group.start, group.end).rstrip(" .,")
    return title if len(title.split()) >= _MIN_TITLE else ""


def read_entries(files: PaperFiles, main: str, layout: Layout) -> tuple[list[Entry], CitationStyle]:
    """The entries of a paper's reference list in printed order, and its citation style.

    The list that LaTeX printed is preferred to .bib files, unless it lacks most cited works.
    """
    keys = list(dict.fromkeys(key for citation in layout.citations() for key in citation.keys))
    wanted = {key.casefold() for key in keys}
    entries, has_labels = _printed(files, main, layout)
    known = sum(entry.key.casefold() in wanted for entry in entries)
    if known < len(wanted) / 2 or not entries:
        names = _bib_files(files, layout)
        cited = _read_cited([files.text(name) for name in names], keys) if names else []
        if len(cited) > known:
            entries, has_labels = cited, None
    class_name = next(layout.names(_CLASSES), "")
    if class_name.startswith("revtex"):
        has_labels = None  # which every list of REVTeX has
    is_numeric = _is_numeric(layout, class_name) if has_labels is None else not has_labels
    packages = list(layout.names(_PACKAGES))
    is_bracketed = any(_BRACKETS_PACKAGE.match(name) for name in packages)
    has_natbib = "natbib" in packages or any(
        re.match(r"neurips|nips|iclr|icml", p) for p in packages
    )
    return entries, CitationStyle(is_numeric, is_bracketed or not has_natbib)


def _printed(files: PaperFiles, main: str, layout: Layout) -> tuple[list[Entry], bool | None]:
    """The printed list, and whether its labels have names; None if that is unknown."""
    if entries := _amsrefs(layout):
        return entries, False
    entries = read_items(layout)
    if entries:
        return entries, any(entry.names and "(" in _label(layout) for entry in entries[:1])
    stem = main.rpartition(".")[0]
    named = [f"{stem}.bbl"] if f"{stem}.bbl" in files.names else []
    others = [name for name in files.names if name.lower().endswith(".bbl") and "/" not in name]
    for name in [*named, *(others if len(others) == 1 else [])]:
        text = files.text(name)
        if "\\entry{" in text and "\\field{" in text:
            # The entries of a .bbl file that biblatex wrote, each key once.
            starts = list(_BIBLATEX_ENTRY.finditer(text))[:_MAX_ENTRIES]
            by_key: dict[str, Entry] = {}
            ends = [*(match.start() for match in starts), len(text)][1:]
            for match, end in zip(starts, ends, strict=False):
                if match[1] not in by_key:
                    by_key[match[1]] = _biblatex_entry(match[1], text[match.end() : end][:50_000])
            return list(by_key.values()), None
        inside = Layout(expand(files, name))
        entries = read_items(inside)
        if entries:
            return entries, "(" in _label(inside)
    return [], None


def _amsrefs(layout: Layout) -> list[Entry]:
    r"""The entries of `\bib` commands, which repeat a field for each author."""
    entries: list[Entry] = []
    for place in list(layout.find(_AMS_ENTRY))[:_MAX_ENTRIES]:
        key = layout.group(place + 1)
        kind = layout.group(key.after) if key else None
        body = layout.group(kind.after) if kind else None
        if key is None or body is None:
            continue
        fields: dict[str, str] = {}
        for name, value in _AMS_FIELD.findall(layout.source(body)):
            is_more = name == "author" and name in fields
            fields[name] = f"{fields[name]} and {value}" if is_more else fields.get(name, value)
        entries.append(_entry(layout.source(key).strip(), fields))
    return entries


def _label(layout: Layout) -> str:
    for place in layout.find(frozenset({"\\bibitem"})):
        label = layout.option(place + 1)
        return layout.source(label) if label else ""
    return ""


def _bib_files(files: PaperFiles, layout: Layout) -> list[str]:
    """The .bib files that a paper names, or those beside it if it names none that exist."""
    named = [files.find(name, suffixes=(".bib",)) for name in layout.names(_BIB)]
    paths = [name for name in named if name.lower().endswith(".bib")]
    if not paths:
        paths = [name for name in files.names if name.lower().endswith(".bib") and "/" not in name]
    return list(dict.fromkeys(paths))


def _is_numeric(layout: Layout, class_name: str) -> bool:
    """Check by the class, the style and the packages whether citations print numbers."""
    if class_name.startswith("revtex"):
        given = layout.option(next(layout.find(_CLASSES)) + 1)
        return given is None or "rmp" not in layout.source(given)
    for place in layout.find(_PACKAGES):
        option, argument = layout.option(place + 1), layout.required(place)
        options = layout.source(option).replace(" ", "") if option else ""
        names = re.split(r"\s*,\s*", layout.source(argument).strip()) if argument else []
        if "natbib" in names and re.search(r"(?:^|,)(?:numbers|super)", options):
            return True
        if "biblatex" in names:
            return re.search(r"style=(?:authoryear|apa|chicago|mla|author)", options) is None
    return any(_NUMERIC_STYLE.match(style) for style in layout.names(_STYLE))


def _read_cited(texts: Iterable[str], keys: Sequence[str]) -> list[Entry]:
    """The .bib entries for the given keys, in their order; the key `*` means all entries."""
    wanted = dict.fromkeys(key.casefold() for key in keys)
    blocks: dict[str, str] = {}
    strings: list[str] = []
    for text in texts:
        starts = [match for match in _BIB_ENTRY.finditer(text) if _opens(text, match.start())]
        ends = [*(match.start() for match in starts), len(text)][1:]
        for match, end in zip(starts, ends, strict=True):  # from one `@type{key` to the next
            kind, key = match[1].lower(), match[2].casefold()
            block = text[match.start() : min(end, match.start() + _MAX_ENTRY)]
            if kind == "string":
                strings.append(block)
            elif kind not in _NO_ENTRIES and (key in wanted or "*" in wanted):
                blocks.setdefault(key, block)
    order = [key for key in wanted if key in blocks]
    order += [key for key in blocks if key not in wanted]
    fields = _parse([blocks[key] for key in order[:_MAX_ENTRIES]], strings[:_MAX_STRINGS])
    return [_entry(*fields[key]) for key in order if key in fields]


def _opens(text: str, start: int) -> bool:
    """Check whether an `@` opens an entry: it starts a line or follows the end of another."""
    before = text[text.rfind("\n", max(0, start - 200), start) + 1 : start].strip()
    return not before or before[-1] in "})"


def _parse(blocks: Sequence[str], strings: Sequence[str]) -> dict[str, tuple[str, dict[str, str]]]:
    """Key in lower case -> the key and its fields; a damaged entry is left out."""
    from bibtexparser.entrypoint import parse_string

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)
    library = parse_string("\n".join([*strings, *blocks]))
    known = {string.key.casefold(): str(string.value) for string in library.strings}
    entries: dict[str, tuple[str, dict[str, str]]] = {}
    for entry in library.entries:
        fields: dict[str, str] = {}
        for field in entry.fields:
            value = str(field.value)[:_MAX_FIELD]
            fields.setdefault(field.key.lower(), _join(value, known) if " # " in value else value)
        entries.setdefault(entry.key.casefold(), (entry.key, fields))
    return entries


def _join(value: str, strings: Mapping[str, str]) -> str:
    """A value made of strings joined with `#`."""
    if '"' not in value:
        return value
    return "".join(
        match[1] if match[1] is not None else strings.get(match[2].casefold(), "")
        for match in _JOINED.finditer(value)
    )


def _entry(key: str, fields: Mapping[str, str]) -> Entry:
    people = _people(fields.get("author") or fields.get("editor") or "")
    titles = (fields.get("title"), fields.get("subtitle"))
    title = ": ".join(plain_text(each) for each in titles if each)
    year = fields.get("year") or fields.get("date") or ""
    venue = next((plain_text(fields[name]) for name in _VENUES if fields.get(name)), "")
    surnames = [surname for surname, _ in people if surname != "others"]
    has_others = len(people) > 2 or len(surnames) < len(people)
    names = [name for _, name in people]
    return Entry(
        key=key,
        pieces=[", ".join(names[:20]), title, venue, str(find_year(year) or "")],
        titles=[title],
        years=[year],
        surnames=names[:1],
        names=short_names(surnames[:3], has_others=has_others),
        numbers={
            "arxiv": f"{fields.get('archiveprefix', '')}:{fields.get('eprint', '')}",
            "doi": unescaped(fields.get("doi", "")),
        },
        links=unescaped(" ".join(fields.get(name, "") for name in ("url", "doi", "note"))),
    )


def _people(field: str) -> list[tuple[str, str]]:
    """Surname and full name of each person in a field."""
    from bibtexparser.middlewares.names import split_multiple_persons_names

    people = []
    for person in split_multiple_persons_names(field)[:200]:
        is_one = _ONE_NAME.fullmatch(person) is not None
        last, comma, first = person.partition(",")
        if comma and not is_one:
            surname, given = plain_text(last), plain_text(first.rpartition(",")[2])
            people.append((surname, f"{given} {surname}".strip()))
        else:
            name = plain_text(person)
            if name:
                people.append((name if is_one else name.split()[-1], name))
    return people


def _biblatex_entry(key: str, body: str) -> Entry:
    """An entry of a .bbl file that biblatex wrote; its first list of names holds the authors."""
    fields = dict(reversed(_FIELD.findall(body))) | dict(_VERB.findall(body))
    if (start := _NAME_LIST.search(body)) is not None:
        lines = _AFTER_NAMES.split(body[start.end() :], maxsplit=1)[0]
        people = [dict(_PART.findall(part)) for part in _PERSON.split(lines)[1:]]
        fields["author"] = " and ".join(
            f"{one.get('prefix', '')} {one.get('family', '')}, {one.get('given', '')}"
            for one in people[: min(int(start[1]), 100)]
        )
    return _entry(key, fields)
