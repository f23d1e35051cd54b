"""Inputs of the writing tasks, the prompts made of them, and the gold part of a paper.

A paper's text is split into the gold and the input. The input has four sizes: the main body (`base`
and the settings with demonstrations), every section except the gold (`leave_one_out`), title and
abstract (`open`), and only the title (`title_only`).

The main body is every section except the abstract, references, acknowledgements and appendix, and
without the conclusion (for the abstract) or the gold section. A paragraph of a gold section is
never shown, even if it is repeated elsewhere in the paper.

All mentions of examples are in one block of a prompt, so that one without examples has none.

Source: AcademicEval §3.2; the exact rules are this project's (docs/families/writing.md).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import pyarrow as pa

from vivavoce.columns import columns_of, lists, texts
from vivavoce.records import Section
from vivavoce.rounds import Round, Shown, measure_settings
from vivavoce.rounds.family import split_name
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.prompting import OWN, PromptSet, Rendered, Span, join_texts, shifted
from vivavoce.text.normalise import normalise_title
from vivavoce.text.tokens import TokenCounter

FAMILY = "writing"
TASKS = ("title", "abstract", "introduction", "related_work")
SECTION_TASKS = ("introduction", "related_work")
"""Tasks whose gold is a section of the paper."""
Setting = Literal["base", "random", "coauthor", "mixed", "title_only", "leave_one_out", "open"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)
DEMONSTRATED = ("random", "coauthor", "mixed")
"""Settings that show other papers with their gold."""
OPEN = "open"
"""Setting of related work in which works are searched in a library instead of listed."""
ROLES = ("cited", "padding")

_NEVER_IN_BODY = frozenset({"abstract", "references", "acknowledgements", "appendix"})
_LEFT_OUT = {"abstract": _NEVER_IN_BODY | {"conclusion"}}
_NEVER_IN_REST = frozenset({"abstract", "references"})
_NUMBER = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,5}\.?")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_LONG_PARAGRAPH = 8
"""Minimum words of a gold paragraph that is also searched inside longer paragraphs."""

_WORK = pa.struct(
    [*texts("work_id", "title", "abstract", "role", "published"), ("citations", pa.int64())]
)
_PART = pa.struct(columns_of(Section, "number", "heading", "level", "role", "text"))

ITEM = pa.schema(
    [
        *texts("id", "paper_id", "cluster", "split", "published", "published_from", "category"),
        *texts("reference"),
        *lists("settings", "demos_random", "demos_coauthor"),
        ("overlap", pa.float64()),
        ("overlap_rest", pa.float64()),
    ]
)
"""Columns of an item; `reference` is the gold, demonstrations are ids in `papers.parquet`."""
SCHEMAS = dict.fromkeys(TASKS, ITEM) | {
    "related_work": pa.schema([*ITEM, ("works", pa.list_(_WORK)), *lists("hidden")])
}
"""Columns by task; `hidden` has ids of copies of the paper, which the library hides."""
PAPER = pa.schema(
    [*texts("paper_id", "published", "title", "abstract"), ("sections", pa.list_(_PART))]
)
"""Columns of `papers.parquet`, which has all targets and demonstrations once."""


@dataclass(frozen=True, slots=True)
class PaperText:
    """The parts of a paper for writing tasks."""

    paper_id: str
    published: str
    title: str
    abstract: str
    sections: tuple[Section, ...]
    doubts: tuple[str, ...] = ()
    """Doubtful parts of a PDF, which are never gold."""


def paper_from_row(row: Row) -> PaperText:
    """Read a paper from a row of `papers.parquet`."""
    sections = tuple(Section(ordinal=n, **part) for n, part in enumerate(row["sections"]))
    return PaperText(row["paper_id"], row["published"], row["title"], row["abstract"], sections)


def row_of_paper(paper: PaperText) -> Row:
    """A paper as a row of `papers.parquet`."""
    parts = [{name: getattr(section, name) for name in _PART.names} for section in paper.sections]
    return {**{name: getattr(paper, name) for name in PAPER.names}, "sections": parts}


def settings_of(task: str) -> tuple[str, ...]:
    """Settings of a task; titles have no `title_only`, and works are for one task."""
    without = {"title": ("title_only", OPEN), "related_work": ()}.get(task, (OPEN,))
    return tuple(setting for setting in SETTINGS if setting not in without)


def gold(task: str, title: str, abstract: str, sections: Sequence[Section]) -> str | None:
    """The gold text; None if the paper has no such section.

    A section includes its subsections and their headings, but not its own heading.
    """
    if task == "title":
        return title or None
    if task == "abstract":
        return abstract or None
    blocks: list[str] = []
    for place, is_headed in _gold_places(task, sections).items():
        section = sections[place]
        blocks += [_heading(section)] if is_headed else []
        blocks.append(section.text)
    return "\n\n".join(filter(None, blocks)) or None


def gold_paragraphs(task: str, sections: Sequence[Section]) -> list[str]:
    """Paragraphs of the gold section, in order; empty for titles and abstracts."""
    texts = (sections[place].text for place in _gold_places(task, sections))
    return [paragraph for text in texts for paragraph in _paragraphs(text)]


def slots(task: str, setting: str, paper: PaperText) -> dict[str, str]:
    """Texts of the paper in a prompt, by slot.

    Demonstrations and listed works are separate. Settings with demonstrations show the same parts
    of the target, and of a demonstration, as `base`.
    """
    if setting == "title_only":
        return {"title": paper.title}
    if setting == OPEN:
        return {"title": paper.title, "abstract": paper.abstract}
    left_out = _LEFT_OUT.get(task, _NEVER_IN_BODY)
    if setting == "leave_one_out":
        left_out = _NEVER_IN_REST
    content = _compose(task, paper.sections, left_out)
    shown = {"title": paper.title, "abstract": paper.abstract, "content": content}
    order = ("content", "abstract") if task == "title" else ("title", "abstract", "content")
    return {name: shown[name] for name in order if name != task}


def _gold_places(task: str, sections: Sequence[Section]) -> dict[int, bool]:
    """Indices of the gold's sections -> True if the section's heading is part of the gold."""
    places: dict[int, bool] = {}
    if task not in SECTION_TASKS:
        return places
    top: Section | None = None
    for place, section in enumerate(sections):
        if top is not None and _ends(top, section):
            top = None
        if top is not None:
            places[place] = True
        elif section.role == task:
            top = section
            places[place] = False
    return places


def _ends(top: Section, section: Section) -> bool:
    """True if a section is not inside another one, by its level or its number.

    2.1 does not belong to 1, even directly below it.
    """
    if section.level <= top.level:
        return True
    outer, inner = top.number or "", section.number or ""
    are_numbers = _NUMBER.fullmatch(outer) and _NUMBER.fullmatch(inner) and "." in inner
    return bool(are_numbers) and not inner.startswith(f"{outer.rstrip('.')}.")


def _compose(task: str, sections: Sequence[Section], left_out: frozenset[str]) -> str:
    """Headings and texts of the shown sections, without gold paragraphs."""
    hidden = _gold_places(task, sections)
    own = [normalise_title(paragraph) for paragraph in gold_paragraphs(task, sections)]
    blocks: list[str] = []
    for place, section in enumerate(sections):
        if place in hidden or section.role in left_out:
            continue
        text = section.text
        if own:  # without paragraphs that equal or contain a gold paragraph
            kept = [p for p in _paragraphs(text) if not _repeats(own, normalise_title(p))]
            text = "\n\n".join(kept)
        # A heading is removed if all its paragraphs were; a heading without paragraphs stays.
        if text or not section.text:
            blocks += [_heading(section), text]
    return "\n\n".join(filter(None, blocks))


def _heading(section: Section) -> str:
    if not section.heading:
        return ""
    return f"{section.number} {section.heading}" if section.number else section.heading


def _paragraphs(text: str) -> list[str]:
    return [paragraph for paragraph in _BLANK_LINE.split(text) if paragraph.strip()]


def _repeats(own: Sequence[str], paragraph: str) -> bool:
    padded = f" {paragraph} "
    return any(f" {one} " in padded if is_long(one) else one == paragraph for one in own if one)


def is_long(paragraph: str) -> bool:
    """True if a normalised paragraph has at least 8 words."""
    return paragraph.count(" ") + 1 >= _LONG_PARAGRAPH


def demonstration_texts(task: str, paper: PaperText) -> list[str]:
    """Texts of a demonstration: the inputs of its paper, and its gold."""
    written = gold(task, paper.title, paper.abstract, paper.sections) or ""
    return [*slots(task, "base", paper).values(), written]


_KINDS = {"random": ("random",), "coauthor": ("coauthor",), "mixed": ("random", "coauthor")}


def shown_demos(row: Row, setting: str, most: int | None = None) -> list[str]:
    """Demonstrations for an item in a setting: random ones first, no paper twice.

    At most `most` of each kind, by default all.
    """
    kinds = _KINDS.get(setting, ())
    return list(dict.fromkeys(name for kind in kinds for name in row[f"demos_{kind}"][:most]))


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
    shown = [
        prompts.render(f"example.{task}", {**given, "answer": written}, {"number": number})
        for number, (given, written) in enumerate(examples, 1)
    ]
    listed = [_work(prompts, work, number) for number, work in enumerate(works, 1)]
    example_text, example_spans = join_texts(one.text for one in shown)
    texts, given, inside = dict(slots), {**values, "demonstrations": ""}, 0
    if examples:
        block = prompts.render("demonstrations", {"examples": example_text}, {"part": PARTS[task]})
        texts["demonstrations"] = block.text + _BETWEEN
        inside = block.spans["examples"][0]
    if works:
        texts["works"], work_spans = join_texts(listed)
    main = prompts.render(template or task, texts, given)
    spans = dict(main.spans)
    pool = [(OWN, spans["content"])] if "content" in spans else []
    blocks: list[Span] = []
    parts: dict[str, Span] = {}
    if works:
        start = spans["works"][0]
        parts = {f"work {n}": shifted(span, start) for n, span in enumerate(work_spans, 1)}
        pool += parts.items()
    if examples:
        whole = spans.pop("demonstrations")
        start = end = whole[0] + inside
        for number, (one, span) in enumerate(zip(shown, example_spans, strict=True), 1):
            first, last = shifted(span, start)
            paper, answer = (shifted(one.spans[slot], first) for slot in ("content", "answer"))
            spans[f"example_{number}"] = paper
            other = f"another paper (example {number})"
            pool += [(other, paper), (f"the {PARTS[task]} of {other}", answer)]
            # Each has the separator before it.
            parts[f"example {number}"] = (end, last)
            blocks.insert(0, (end, last))
            end = last
        blocks[-1] = whole  # the first is removed together with the text around the examples
    pool.sort(key=lambda source: source[1])
    return Rendered(main.text, spans, tuple(blocks), parts), tuple(pool)


def _work(prompts: PromptSet, work: Row, number: int) -> str:
    texts = {"title": str(work["title"] or "")}
    if work["abstract"]:
        texts["abstract"] = str(work["abstract"])
    return prompts.render("work", texts, {"number": number}).text


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
