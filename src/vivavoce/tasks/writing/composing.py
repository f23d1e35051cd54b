"""Composition of writing prompts: examples, listed works and the paper.

All mentions of examples are in one block, so a prompt without examples does not mention them.
"""

from collections.abc import Iterator, Mapping, Sequence

from vivavoce.rounds import Round, Shown, measure_settings
from vivavoce.rounds.family import split_name
from vivavoce.store import Row, table_of_parquet
from vivavoce.tasks.prompting import (
    OWN,
    PromptSet,
    Rendered,
    Span,
    join_texts,
    shifted,
)
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


FAMILY = "writing"
PADDED = "+padded"


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
