"""Composition of writing prompts: examples, listed works and the paper.

All mentions of examples are in one block, so a prompt without examples does not mention them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from vivavoce.rounds import Round, Shown, measure_settings
from vivavoce.rounds.family import split_name
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.prompting import OWN, PromptSet, Rendered, Span
from vivavoce.tasks.writing.inputs import (
    OPEN,
    ROLES,
    SETTINGS,
    demonstration_texts,
    paper_from_row,
    shown_demos,
    slots,
)
from vivavoce.text.tokens import TokenCounter

PARTS = {
    "title": "title",
    "abstract": "abstract",
    "introduction": "introduction",
    "related_work": "related-work section",
}
TRACKS = ("cited", "padded", OPEN)
"""Works listed in a related-work prompt: cited ones, also padding, or none."""

Source = tuple[str, Span]
"""Name and place of a part of a prompt that may be split into excerpts."""
Example = tuple[Mapping[str, str], str]
"""A demonstration: another paper's slots and its gold."""
_BETWEEN = "\n\n"


@dataclass(slots=True)
class _Pieces:
    """Concatenation of texts, with the spans of their parts."""

    text: str = ""
    spans: dict[str, Span] = field(default_factory=dict)
    pool: list[Source] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, piece: str) -> int:
        """Append a piece; return its start."""
        if self.ends:
            self.text += _BETWEEN
        start = len(self.text)
        self.text += piece
        self.ends.append(len(self.text))
        return start


def compose(
    prompts: PromptSet,
    task: str,
    slots: Mapping[str, str],
    *,
    examples: Sequence[Example] = (),
    works: Sequence[Row] = (),
    values: Mapping[str, object],
    template: str | None = None,
) -> tuple[Rendered, tuple[Source, ...]]:
    """Put a prompt together; also return its parts for excerpts, in order.

    Examples and works are shown in the given order; the last example is removed first if there is
    no room. The default template is the task's.
    """
    shown, listed = _examples(prompts, task, examples), _works(prompts, works)
    texts, given, inside = dict(slots), {**values, "demonstrations": ""}, 0
    if examples:
        block = prompts.render("demonstrations", {"examples": shown.text}, {"part": PARTS[task]})
        texts["demonstrations"] = block.text + _BETWEEN
        inside = block.spans["examples"][0]
    if works:
        texts["works"] = listed.text
    main = prompts.render(template or task, texts, given)
    spans = dict(main.spans)
    pool = [(OWN, spans["content"])] if "content" in spans else []
    blocks: list[Span] = []
    parts: dict[str, Span] = {}
    if works:
        moved = _moved(listed.pool, spans["works"][0])
        pool += moved
        parts |= dict(moved)
    if examples:
        whole = spans.pop("demonstrations")
        shift = whole[0] + inside
        spans |= {name: _shifted(span, shift) for name, span in shown.spans.items()}
        pool += _moved(shown.pool, shift)
        # Each has its separator; the first is removed together with the text around the examples.
        later = [_shifted(span, shift) for span in pairwise(shown.ends)]
        parts |= {
            f"example {number}": _shifted(span, shift)
            for number, span in enumerate(pairwise([0, *shown.ends]), 1)
        }
        blocks = [*reversed(later), whole]
    pool.sort(key=lambda source: source[1])
    return Rendered(main.text, spans, tuple(blocks), parts), tuple(pool)


def _examples(prompts: PromptSet, task: str, examples: Sequence[Example]) -> _Pieces:
    pieces = _Pieces()
    for number, (given, written) in enumerate(examples, 1):
        texts = {**given, "answer": written}
        piece = prompts.render(f"example.{task}", texts, {"number": number})
        start = pieces.add(piece.text)
        paper, answer = (_shifted(piece.spans[slot], start) for slot in ("content", "answer"))
        pieces.spans[f"example_{number}"] = paper
        other = f"another paper (example {number})"
        pieces.pool += [(other, paper), (f"the {PARTS[task]} of {other}", answer)]
    return pieces


def _works(prompts: PromptSet, works: Sequence[Row]) -> _Pieces:
    pieces = _Pieces()
    for number, work in enumerate(works, 1):
        texts = {"title": str(work["title"] or "")}
        if work["abstract"]:
            texts["abstract"] = str(work["abstract"])
        start = pieces.add(prompts.render("work", texts, {"number": number}).text)
        pieces.pool.append((f"work {number}", (start, pieces.ends[-1])))
    return pieces


def _shifted(span: Span, shift: int) -> Span:
    return (span[0] + shift, span[1] + shift)


def _moved(pool: Sequence[Source], shift: int) -> list[Source]:
    return [(label, _shifted(span, shift)) for label, span in pool]


FAMILY = "writing"
PADDED = "+padded"
"""Suffix of a related-work setting with padding."""


def describe_lengths(opened: Round, counter: TokenCounter, split: str | None = None) -> Row:
    """Table of lengths in a round or a split, with the tokenizer's name."""
    asked = (one for one in shown(opened) if split in (None, split_name(one.split)))
    return {
        "tokenizer": counter.name,
        "is_estimate": counter.is_estimate,
        "settings": measure_settings(asked, counter),
    }


def shown(opened: Round) -> Iterator[Shown]:
    """Yield all items of a round by task and setting."""
    table = table_of_parquet(opened.read_file(FAMILY, "papers.parquet"))
    papers = {row["paper_id"]: paper_from_row(row) for row in table.to_pylist()}
    for task in (task for family, task in opened.tasks() if family == FAMILY):
        rows = opened.items(FAMILY, task)
        for setting in SETTINGS:
            lists_works = task == "related_work" and setting not in ("title_only", OPEN)
            tracks: dict[str, tuple[str, ...]] = {setting: ROLES[:1] if lists_works else ()}
            if lists_works:
                tracks[setting + PADDED] = ROLES
            for label, roles in tracks.items():
                for row in (row for row in rows if setting in row["settings"]):
                    inputs = [*slots(task, setting, papers[row["paper_id"]]).values()]
                    for name in shown_demos(row, setting):
                        inputs += demonstration_texts(task, papers[name])
                    for work in row.get("works") or ():
                        if work["role"] in roles:
                            inputs += [work["title"], work["abstract"] or ""]
                    output = row["reference"]
                    yield Shown(task, label, row["split"], row["published"], tuple(inputs), output)
