"""Scores of the pdf source on folders of PDFs with a `truth.jsonl`, by style and for each file.

    python -m benchmarks.pdf.score DIR... [--only STYLE...] [--half dev|test] [--files] [--json]

A folder is the style matrix or the collection of real papers. Headings are compared by their
letters and digits; the headings of end matter (acknowledgements, references, checklists) and those
that open a paragraph count neither way. `--half` keeps the repositories whose hash falls in that
half, or the PDFs of the matrix that are held back (`test`) or not (`dev`).
"""

import argparse
import hashlib
import json
import re
import statistics
import sys
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from vivavoce.errors import InputError
from vivavoce.records import Document
from vivavoce.sources.fulltext.citing import PrintedCitations
from vivavoce.sources.fulltext.pdf.document import read_file
from vivavoce.sources.fulltext.pdf.references import printed_numbers
from vivavoce.sources.fulltext.references import read_printed

Scores = dict[str, float | None]
_END = re.compile(
    r"acknowl|references|bibliogra|checklist|abstract|literat|致谢|謝辞|감사|благодарн|شكر|سپاس|תודות"
    r"|danksagung|remerciement|agradecim"
    r"|^(?:author contributions|funding|(?:data|code|software) availability|declarations"
    r"|supplement\w+ (?:materials?|information)|(?:competing|conflicts?) (?:of )?interests?"
    r"|appendix|appendices)(?: \d)?$",
    re.IGNORECASE,
)
HOLE = "…"
"""Stands in a true heading for what its source does not tell, such as a formula."""
_LABEL = re.compile(r"^\s*(?:appendix|annex)\s+[A-Z\d](?:[\s.:–—-]+|$)", re.IGNORECASE)


def compact(text: str) -> str:
    """Letters and digits without accents, which old fonts set apart, for comparison."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in folded if character.isalnum())


def _key(heading: str) -> str:
    """A heading for comparison; `Appendix A` before it is its number."""
    return compact(_LABEL.sub("", heading)) or compact(heading)


def pattern(heading: str) -> re.Pattern[str]:
    """The letters and digits that a true heading may print."""
    return re.compile(r"\w{0,12}".join(map(compact, heading.split(HOLE))))


def score_file(document: Document | None, row: dict[str, Any]) -> Scores:
    """All figures of one file; a document that could not be read scores 0."""
    sections = document.sections if document else ()
    neutral = {compact(heading) for heading in row.get("run_in", ())}
    neutral -= {compact(heading) for _, heading in row["headings"]}
    given = [
        (s.level, s.heading or "") for s in sections if compact(s.heading or "") not in neutral
    ]
    wanted = [(level, heading) for level, heading in row["headings"]]
    top = _match([h for n, h in given if n == 1], [h for n, h in wanted if n == 1])
    every = _match([f"{h} {n}" for n, h in given], [f"{h} {n}" for n, h in wanted])
    text = " ".join(s.text for s in sections)
    authors = [author.name for author in document.authors] if document else []
    references = [compact(r.raw) for r in document.references] if document else []
    return {
        "recall": top[0],
        "precision": top[1],
        "all_recall": every[0],
        "all_precision": every[1],
        "title": float(compact((document and document.title) or "") == compact(row["title"])),
        "authors": _f1(authors, row.get("authors")),
        "abstract": _overlap((document and document.abstract) or "", row.get("abstract")),
        "order": _pairs(f"{(document and document.abstract) or ''} {text}", row.get("texts")),
        "references": _entries(references, row.get("references")),
        "captions": _captions(document, row.get("captions")),
        "citations": _citations(document, row),
    }


def _match(given: Sequence[str], wanted: Sequence[str]) -> tuple[float, float | None]:
    left = Counter(_key(h) for h in wanted if not _END.search(h))
    open_ones = {_key(h): pattern(h) for h in wanted if HOLE in h}
    ours = [_key(h) for h in given if not _END.search(h)]
    ours = [
        next((key for key, one in open_ones.items() if one.fullmatch(h)), h) if h not in left else h
        for h in ours
    ]
    found = sum((Counter(ours) & left).values())
    recall = found / max(sum(left.values()), 1)
    return recall, found / len(ours) if ours else 0.0


def _f1(given: Sequence[str], wanted: Sequence[str] | None) -> float | None:
    if not wanted:
        return None
    ours, theirs = {compact(n) for n in given}, {compact(n) for n in wanted}
    return 2 * len(ours & theirs) / (len(ours) + len(theirs))


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", text.casefold())


def _overlap(given: str, wanted: str | None) -> float | None:
    if not wanted:
        return None
    ours, theirs = Counter(_units(given)), Counter(_units(wanted))
    return 2 * sum((ours & theirs).values()) / (sum(ours.values()) + sum(theirs.values()))


def _units(text: str) -> list[str]:
    """Words, or characters where a script sets no spaces."""
    words = _words(text)
    return [c for w in words for c in w] if words and len(text) > 12 * len(words) else words


def _pairs(given: str, texts: Sequence[str] | None) -> float | None:
    """The share of neighbouring words of the truth that are neighbours in what was read."""
    if not texts:
        return None
    ours = Counter(_neighbours(_units(given)))
    theirs = Counter(pair for text in texts for pair in _neighbours(_units(text)))
    return sum((ours & theirs).values()) / max(sum(theirs.values()), 1)


def _neighbours(words: Sequence[str]) -> Iterable[tuple[str, str]]:
    return pairwise(words)


def _entries(given: Sequence[str], wanted: Sequence[str] | int | None) -> float | None:
    """The share of true entries that one entry of ours holds, and no other true one with it.

    A number is the count of true entries: then the share is that of the counts.
    """
    if not wanted:
        return None
    if isinstance(wanted, int):
        return min(len(given), wanted) / max(len(given), wanted)
    titles = Counter(compact(title) for title in wanted)
    right = 0
    for title, count in titles.items():
        holders = [raw for raw in given if title in raw]
        alone = [raw for raw in holders if sum(raw.count(other) for other in titles) == 1]
        right += min(len(alone), count)
    return right / titles.total()


def _captions(document: Document | None, wanted: Sequence[str] | None) -> float | None:
    if not wanted:
        return None
    ours = [compact(table.caption) for table in document.tables] if document else []
    tables = [c for c in map(compact, wanted) if "higherisbetter" in c or "oneofitsparts" in c]
    found = sum(any(caption in one for one in ours) for caption in tables)
    return found / len(tables) if tables else None


def _citations(document: Document | None, row: dict[str, Any]) -> float | None:
    """F1 of the entries that the text cites, told by their titles."""
    if not row.get("cited"):
        return None
    titles = [compact(title) for title in row["references"]]
    wanted = {titles[number] for part in row["cited"] for number in part}
    if document is None:
        return 0.0
    text = "\n\n".join(section.text for section in document.sections)
    raws = {reference.ordinal: compact(reference.raw) for reference in document.references}
    entries = [read_printed(reference.raw) for reference in document.references]
    numbers = printed_numbers(document.references)
    printed = PrintedCitations(entries, document.references, numbers=numbers)
    cited = {n for _, meant in printed.mentions_in(text) for n in meant}
    ours = {next((t for t in titles if t in raws[n]), f"?{n}") for n in cited}
    return 2 * len(ours & wanted) / max(len(ours) + len(wanted), 1)


def is_in_half(row: dict[str, Any], half: str | None) -> bool:
    """Check whether a PDF belongs to a half: as the matrix says, or by the hash of its group."""
    by_hash = hashlib.sha256(row["style"].encode()).digest()[0] % 2 == 1
    return half is None or row.get("is_held", by_hash) == (half == "test")


def out_of_order(source: Sequence[str], text: str) -> float:
    """The share of paragraphs of the truth whose first words stand elsewhere in the text."""
    words = " ".join(_words(text))
    found = [at for own in source if (at := words.find(" ".join(_words(own)[:6]))) >= 0]
    longest: list[int] = []
    for place in found:
        spot = bisect_left(longest, place)
        longest[spot : spot + 1] = [place]
    return 1 - len(longest) / max(len(found), 1)


def _read(path: Path) -> tuple[Document | None, str]:
    try:
        document = read_file(path)
    except InputError as error:
        return None, str(error)
    return document, getattr(document, "health", None) or ""


def _mean(rows: Iterable[Scores], name: str) -> float | None:
    values = [value for row in rows if (value := row.get(name)) is not None]
    return statistics.fmean(values) if values else None


def _print(name: str, rows: Sequence[Scores], extra: str = "") -> None:
    cells = [f"{value:6.3f}" if (value := _mean(rows, m)) is not None else "     -" for m in NAMES]
    print(f"{name:34.34}", *cells, extra)


NAMES = (
    "recall",
    "precision",
    "all_recall",
    "all_precision",
    "title",
    "authors",
    "abstract",
    "order",
    "references",
    "captions",
    "citations",
)


def judge_parts(document: Document, scores: Scores) -> Iterable[tuple[str, bool, bool]]:
    """Each part with a known truth: its name, whether it is called good, and whether it is."""
    for part, figures in PARTS.items():
        values = [
            (value, least) for n, least in figures.items() if (value := scores[n]) is not None
        ]
        if values:
            yield part, part not in document.doubts, all(value >= least for value, least in values)


def _print_parts(judged: Sequence[tuple[str, bool, bool]]) -> None:
    for part in PARTS:
        own = [(is_good, is_right) for name, is_good, is_right in judged if name == part]
        good = [is_right for is_good, is_right in own if is_good]
        doubted = [is_right for is_good, is_right in own if not is_good]
        print(
            f"{part:12} {len(own):4}, called good {len(good):4}, wrong {good.count(False):3};"
            f" in doubt {len(doubted):3}, right {doubted.count(True):3}"
        )


PARTS: dict[str, dict[str, float]] = {
    "title": {"title": 1.0},
    "authors": {"authors": 1.0},
    "abstract": {"abstract": 0.9},
    "sections": {"recall": 0.8, "precision": 0.8, "order": 0.9},
    "references": {"references": 0.95},
}
"""Parts of a paper -> the figures that a right one reaches."""


def main() -> int:
    """Print a line for each style, the mean over styles and the health verdicts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--half", choices=["dev", "test"])
    parser.add_argument("--files", action="store_true", help="a line for each file")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wanted = set(options.only)
    groups: dict[str, list[Scores]] = {}
    verdicts: Counter[tuple[str, bool]] = Counter()
    files: list[tuple[str, Scores, str]] = []
    judged: list[tuple[str, bool, bool]] = []
    for folder in options.folders:
        for line in (folder / "truth.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            if (wanted and row["style"] not in wanted) or not is_in_half(row, options.half):
                continue
            document, verdict = _read(folder / row["file"])
            scores = score_file(document, row)
            groups.setdefault(row["style"], []).append(scores)
            files.append((row["file"], scores, verdict))
            if document is not None:
                judged += judge_parts(document, scores)
            verdicts[verdict, (scores["recall"] or 0) >= 0.5] += 1
    if options.json:
        print(json.dumps({"files": files}))
        return 0
    print(f"{'':34}", *(f"{name[:6]:>6}" for name in NAMES))
    for name, scores, verdict in files if options.files else []:
        _print(name, [scores], verdict)
    for style, rows in sorted(groups.items(), key=lambda item: _mean(item[1], "recall") or 0):
        _print(style, rows)
    means: list[Scores] = [{m: _mean(rows, m) for m in NAMES} for rows in groups.values()]
    _print(f"mean of {len(groups)}", means)
    for (verdict, is_good), count in sorted(verdicts.items()):
        print(f"{verdict or 'no verdict':12} recall {'≥' if is_good else '<'} .5: {count}")
    _print_parts(judged)
    return 0


if __name__ == "__main__":
    sys.exit(main())
