"""First pages of PDFs: title, abstract, and the lines between them with the authors."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from vivavoce.sources.fulltext.pdf.authors import read_authors
from vivavoce.sources.fulltext.pdf.candidates import HeadingCandidate
from vivavoce.sources.fulltext.pdf.evidence import compact
from vivavoce.sources.fulltext.pdf.furniture import FURNITURE, abstract_label
from vivavoce.sources.fulltext.pdf.layout import Layout
from vivavoce.sources.fulltext.pdf.paragraphs import Paragraphs
from vivavoce.sources.fulltext.pdf.runs import Line, join_words, without_marks
from vivavoce.text.headings import role_of_heading

_BANNER = re.compile(
    r"^\W*(?:arxiv|(?:\w{2,5}\s)?journal of|journal|proceedings|published|preprint|under review"
    r"|accepted|to appear"
    r"|(?:(?:research|review|original)\s?(?:article|paper|research)?|article|letter)\W*$"
    r"|open access|contents lists|available online|https?:|doi|vol(?:ume)?\b|issn|copyright|©"
    r"|highlights\W*$|graphical abstract|(?:\S+\s){0,2}(?:thesis|dissertation)\W*$"
    r"|th[eè]se de doctorat\W*$|technical report|working paper|received|manuscript"
    r"|supplementary(?:\s\w+){0,2}\W*$)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^title\s?[:：]\s", re.IGNORECASE)
_KEYWORDS = re.compile(
    r"\W*(?:key\s?words|index terms|ccs concepts|categories and subject|general terms|acm reference"
    r"|keywords and phrases|pacs|msc|jel|additional key words|\d{4} mathematics subject"
    r"|copyright|©|\(?c\)?\s(?:19|20)\d\d)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\w@\w|https?://|www\.")
_NEAR = 1.6
"""Multiple of the font size: lines of keywords are no further apart."""
_APART = 3.5
"""Multiple of the distance between lines: prose so far below an abstract is the paper's text."""
_MIN_PROSE, _FULL = 3, 6
"""Fewest full lines of an abstract without a heading, and fewest words of a full line."""
_ENDED = re.compile(r"[.!?][\W\d]*$")
_OPEN = re.compile(r"[:–—-]$|\b(?:for|of|on|the|a|an|and)$", re.IGNORECASE)
"""The end of a title line that continues on the next."""
_SHORT_TITLE = 4
_BELOW_AUTHORS = _MASTHEAD = 9.0
"""Scores that a line loses as a title if an author's address is above it, and as a masthead."""
_DESCRIBED = 10.0
"""Score that a line gains if the file's own description has it as the title."""
_HEADS, _YEAR = 8, re.compile(r"(?:19|20)\d\d")
"""Number of first lines that may be a running head."""


class Front(NamedTuple):
    """The front matter of a paper."""

    title: str | None
    title_alike: str
    """A line above the abstract in the title's font, or in larger print; empty if there is none."""
    abstract: str | None
    beside_abstract: str
    """A line below an abstract without a heading that is set like it, else empty."""
    between: list[Line]
    """Lines of the first page between the title and the abstract."""
    margins: list[Line]
    """Lines of the first page that are not part of the text, and those above the title."""
    text: list[Line]
    """Lines of the title, the abstract and the keywords below it."""


def read_front(
    paragraphs: Paragraphs,
    candidates: Sequence[HeadingCandidate],
    opening: int | None,
    first: int,
    known_title: str,
) -> Front:
    """The front matter.

    `opening` is the place of the abstract's label, `first` that of the first section's heading.
    """
    lines = paragraphs.layout.lines
    opening = opening if opening is not None and opening < first else None
    title, own = _title(paragraphs, known_title, first if opening is None else opening)
    behind = own[-1] if own else -1
    start = max(behind, 0)
    if opening is not None:
        place = opening
        abstract, end = _abstract(paragraphs, candidates, place, first)
    else:
        place, end, abstract = _unheaded(paragraphs, start + 1, first)
    page = lines[0].page
    top = lines[behind].y if behind >= 0 else 0.0
    below = lines[place].y if place < len(lines) and lines[place].page == page else None
    # Authors may be in any column above the abstract, unless the title is in the abstract's.
    columns = {line.column for line in lines}
    if place < len(lines) and all(0 < lines[n].column == lines[place].column for n in own):
        columns = {0, lines[place].column}
    between = [
        line
        for position, line in enumerate(lines)
        if line.page == page
        and not line.kind
        and line.column in columns
        and line.y > top
        and (start < position < min(place, first) if below is None else line.y < below - 1)
    ]
    between.sort(key=lambda line: (round(line.y), line.x0))
    above = [line for line in lines[:start] if line.page == page]
    margins = [line for line in lines if line.page == page and line.kind]
    others = [lines[n] for n in sorted(set(range(place)) - set(own)) if lines[n].page == page]
    rivals = (o.text for o in others if own and _rivals(o, lines[own[0]], paragraphs.layout))
    # Keywords and classifications follow the abstract.
    for stop in range(end, first):
        is_near = stop > end and lines[stop].gap < _NEAR * lines[stop].size
        if not is_near and not _KEYWORDS.match(lines[stop].text):
            break
    else:
        stop = max(end, first)
    printed = [lines[position] for position in own] + lines[place:stop]
    last = lines[end - 1] if abstract and opening is None else None
    rest = [line for line in lines[stop:first] if not line.kind and line.text.count(" ") > _FULL]
    beside = next((line.text for line in rest if last and _is_alike(line, last)), "")
    return Front(title, next(rivals, ""), abstract, beside, between, [*above, *margins], printed)


def _title(paragraphs: Paragraphs, known: str, stop: int) -> tuple[str | None, list[int]]:
    """The title, and the places of its lines, above the abstract or the first section."""
    layout = paragraphs.layout
    groups: list[list[tuple[int, Line]]] = []
    page = layout.lines[0].page
    height = layout.heights[page]
    for place, line in enumerate(layout.lines[:stop]):
        if line.page != page:
            continue
        is_furniture = line.kind == FURNITURE and line.size <= layout.body.size + 0.5
        is_banner = _BANNER.match(line.text) is not None and not _OPEN.search(line.text)
        if is_furniture or line.y > 0.62 * height or is_banner:
            continue
        # Names may be beside a title, between its lines.
        own = next((g for g in groups[:-4:-1] if _goes_on(g[-1][1], line, layout)), None)
        if own is None and groups and _is_subtitle(groups[-1][-1][1], line, layout):
            own = groups[-1]
        if own is None:
            groups.append([(place, line)])
        else:
            own.append((place, line))
    best: tuple[float, str, list[int]] = (0.0, "", [])
    addresses = [line for line in layout.lines if line.page == page and "@" in line.text]
    for group in groups:
        lines = [line for _, line in group]
        text = _without_signs(lines, paragraphs)
        letters = sum(map(str.isalpha, text))
        is_large = _peak(lines[0]) > layout.body.size + 3
        if letters < (_SHORT_TITLE if is_large else 8) or len(text) > 400 or _ADDRESS.search(text):
            continue
        score = _peak(lines[0]) + (1.5 if lines[0].font.bold else 0.0)
        score -= (1.5 if is_large else 4.0) * (len(text.split()) < 3) + 6.0 * lines[0].y / height
        score += _DESCRIBED * (known != "" and compact(text) == compact(known))
        score -= _BELOW_AUTHORS * any(lines[0].y > other.y for other in addresses)
        score -= _MASTHEAD * _is_masthead(text, layout)
        if score > best[0]:
            best = (score, text, [place for place, _ in group])
    if not best[1] and stop < len(layout.lines):
        return _title(paragraphs, known, len(layout.lines))
    return best[1] or None, best[2]


def _is_masthead(text: str, layout: Layout) -> bool:
    """Check whether a running head repeats a text, with a volume and a year behind it."""
    own, heads = compact(text), (compact(line.text) for line in layout.lines[:_HEADS])
    return any(head.startswith(own) and _YEAR.search(head[len(own) :]) for head in heads)


def _rivals(line: Line, title: Line, layout: Layout) -> bool:
    """Check whether a line that is no masthead is in the title's font, or in larger print."""
    is_larger = _peak(line) > _peak(title) + 0.3 and len(line.text.split()) > 1
    is_alike = line.font is title.font and any(map(str.isalpha, line.text))
    is_rival = is_alike or (is_larger and not _BANNER.match(line.text))
    return is_rival and not _is_masthead(line.text, layout)


def _peak(line: Line) -> float:
    """The size of a line; of its larger letters if it is set in small capitals."""
    letters: Counter[float] = Counter()
    for word in line.words:
        letters[word.font.size] += sum(map(str.isalnum, word.text))
    enough = max(2.0, 0.06 * sum(letters.values()))
    return max((size for size, count in letters.items() if count >= enough), default=line.size)


def _goes_on(before: Line, line: Line, layout: Layout) -> bool:
    size, above = _peak(line), _peak(before)
    is_large = size > layout.body.size + 3
    # Manuscripts are double-spaced.
    usual = max(2.1 if is_large else 1.9, 1.25 * layout.leading / layout.body.size)
    spacing = 2.5 if line.font is before.font and is_large else usual
    # Part of a title may be set in another typeface, close below the first part.
    is_other = is_large and line.y - before.y < 1.35 * above
    return (
        (line.font.name == before.font.name or is_other)
        and (abs(size - above) < 0.3 or abs(line.size - before.size) < 0.3)
        and 0 < line.y - before.y < spacing * max(size, above)
    )


def _is_subtitle(before: Line, line: Line, layout: Layout) -> bool:
    """Check whether a line close below a title is its subtitle: large, bold or after a colon."""
    size, above = _peak(line), _peak(before)
    is_alike = line.font.name == before.font.name
    is_near = size >= 0.8 * above and size > layout.body.size + 3
    spacing = 1.7 if is_alike and is_near else 1.4
    is_below = line.x0 < before.x1 and before.x0 < line.x1
    if not layout.body.size + 1 < size <= above or not is_below:
        return False
    if not 0 < line.y - before.y < spacing * above or read_authors([line])[0]:
        return False
    return before.text.endswith(":") or (is_alike and is_near)


def _without_signs(lines: Sequence[Line], paragraphs: Paragraphs) -> str:
    text = ""
    for line in lines:
        printed = re.sub(r"[*∗†‡§¶\s]+$", "", join_words(without_marks(line)))
        text = paragraphs.vocabulary.join(text, printed) if text else printed
    return _LABEL.sub("", " ".join(text.split()))


def _abstract(
    paragraphs: Paragraphs,
    candidates: Sequence[HeadingCandidate],
    place: int,
    first: int,
) -> tuple[str | None, int]:
    """The text of an abstract, and the place after it."""
    lines = paragraphs.layout.lines
    heads = {c.start: c for c in candidates}
    start, end = place + 1, min(first, len(lines))
    # The parts of a structured abstract have headings of their own.
    part = heads.get(start)
    inner = part.style if part is not None and not part.runs_in else None
    below = lines[start if part is None or part.runs_in else part.stop : end]
    usual = below[0].size if below else 0.0
    for other in range(start, end):
        line, candidate = lines[other], heads.get(other)
        is_part = candidate is not None and candidate.style == inner
        is_heading = (
            candidate is not None
            and candidate.is_strong
            and candidate.is_apart
            and not candidate.runs_in
            and (not is_part or role_of_heading(candidate.text) == "introduction")
        )
        is_other = (
            other > start + 1
            and not is_part
            and abs(line.size - usual) > 0.8
            and line.gap > 1.3 * line.size
        )
        before = lines[other - 1]
        is_apart = (
            other > start
            and line.page == before.page
            and not before.kind
            and line.y - before.y > _APART * paragraphs.layout.leading
            and _ENDED.search(before.text) is not None
        )
        is_behind = other > start and (is_heading or is_other)
        if _KEYWORDS.match(line.text) or (not line.kind and (is_behind or is_apart)):
            end = other
            break
    own = [item for item in lines[start:end] if not item.kind]
    text = paragraphs.text(own)
    rest = lines[place].text.removeprefix(abstract_label(lines[place]))
    return (paragraphs.vocabulary.join(rest, text) if rest and text else rest or text) or None, end


def _unheaded(paragraphs: Paragraphs, start: int, first: int) -> tuple[int, int, str | None]:
    """Places and text of the prose between the title and the first section.

    It is the longest run of full lines, with the paragraphs around it that are set like it.
    """
    lines = paragraphs.layout.lines
    runs: list[list[int]] = [[]]
    for place in range(start, first):
        line = lines[place]
        if line.kind or line.page > 1:
            continue
        if _KEYWORDS.match(line.text):
            runs.append([])  # no abstract goes on behind its keywords
            continue
        last = lines[runs[-1][-1]] if runs[-1] else line
        is_near = 0 <= line.y - last.y < max(1.8 * line.size, 1.1 * paragraphs.layout.leading)
        if is_near and abs(line.size - last.size) < 0.4 and line.page == last.page:
            runs[-1].append(place)
        else:
            runs.append([place])
    own = [[lines[place] for place in run] for run in runs]
    prose = [
        n
        for n, run in enumerate(own)
        if _full(run) >= _MIN_PROSE and _is_flush(run) and not read_authors(run)[0]
    ]
    if not prose:
        return first, first, None
    body = paragraphs.layout.body
    apart = [n for n in prose if all(line.font != body for line in own[n])]
    longest = max(prose, key=lambda n: sum(len(line.text) for line in own[n]))
    top = end = min(apart, default=longest)
    main = own[top]
    while top and _full(own[top - 1]) and _is_set_like(own[top - 1], main):
        top -= 1
    while end + 1 < len(own) and _full(own[end + 1]) and _is_set_like(own[end + 1], main):
        end += 1
    text = paragraphs.text([line for run in own[top : end + 1] for line in run])
    return runs[top][0], runs[end][-1] + 1, text


def _full(run: Sequence[Line]) -> int:
    """The number of lines that may be lines of prose."""
    return sum(line.runs == 1 and len(line.text.split()) >= _FULL for line in run)


def _is_flush(run: Sequence[Line]) -> bool:
    """Check whether most lines begin at one edge, unlike centred lines of affiliations."""
    edge = sorted(line.x0 for line in run)[len(run) // 2]
    return 2 * sum(abs(line.x0 - edge) < line.size for line in run) > len(run)


def _is_set_like(run: Sequence[Line], main: Sequence[Line]) -> bool:
    """Check whether whole sentences are a paragraph beside others: same print, same left edge."""
    edges = [min(line.x0 for line in lines) for lines in (run, main)]
    is_below = abs(edges[0] - edges[1]) < 2 * main[0].size
    return _is_alike(run[0], main[0]) and is_below and _ENDED.search(run[-1].text) is not None


def _is_alike(line: Line, other: Line) -> bool:
    return line.font.name == other.font.name and abs(line.size - other.size) < 0.4
