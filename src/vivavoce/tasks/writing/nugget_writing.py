"""Facts of gold sections, extracted once by a model into a file of nuggets."""

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from inspect_ai.model import Model, get_model

from vivavoce.errors import InputError
from vivavoce.rounds import Round, load_round
from vivavoce.store import Row, write_jsonl
from vivavoce.tasks.family import open_prompts
from vivavoce.tasks.methods.direct import run_in_batches
from vivavoce.tasks.prompting import PromptSet
from vivavoce.tasks.scoring.asking import JUDGING, REFUSED, Request, ask
from vivavoce.tasks.scoring.judge import hash_of_template
from vivavoce.tasks.writing.inputs import FAMILY, PARTS
from vivavoce.tasks.writing.questions import (
    MAX_FACTS,
    NuggetHeader,
    Section,
    check_nuggets,
    confirm,
    read_reply,
)
from vivavoce.text.sentences import split_sentences

TEMPLATE = "nuggets"
TASKS = ("abstract", "introduction", "related_work")
"""Tasks whose gold states facts: a title names its subject."""
_SETTINGS = JUDGING.model_copy(update={"max_tokens": 4096, "cache": True})
"""A reply that came before an interruption is not paid for twice, as with a run's judges."""

Progress = Callable[[int, int], None]


def write_round_nuggets(
    folder: Path,
    model: str | None = None,
    out: Path | None = None,
    *,
    labels: Path | None = None,
    tasks: Sequence[str] = (),
    prompts: Path | None = None,
    progress: Progress | None = None,
    watch: Callable[[Model], None] | None = None,
) -> Row:
    """Write the facts of a round's gold sections into a file; an unfinished file is continued.

    By default the file is beside the round's folder, and all tasks but titles are read. Without a
    model, people's labels are applied to the facts of the file. `watch` gets the model before it is
    asked, to meter or to count its requests. Return counts as JSON values: `written` counts the
    sections written by this call, `gone` the facts that people did not find stated.

    Raises:
        InputError: The round has no gold section, the file belongs to another round, model or
            template, or the model's window cannot hold the instructions.
        VivaError: The model failed; what was written before is in the file.
    """
    opened = load_round(folder)
    templates = open_prompts(FAMILY, str(prompts) if prompts else None)
    path = out or opened.folder.with_name(f"{opened.folder.name}.nuggets.jsonl")
    if (model is None) == (labels is None):
        raise InputError(
            "Name a model that reads the sections (--model) or a file of labels (--labels)."
        )
    if labels is not None:
        header, _ = check_nuggets(path, opened)
        sections, gone = confirm(path, labels, opened)
        write_jsonl(path, [each.model_dump() for each in (header, *sections)])
        return _report(path, header, sections, 0, gone)
    template = hash_of_template(templates, TEMPLATE)
    header = NuggetHeader(
        round=opened.id, sha256=opened.sha256, model=str(model), template=template
    )
    there = {task for family, task in opened.tasks() if family == FAMILY}
    wanted = [task for task in TASKS if task in (tasks or TASKS) and task in there]
    if unknown := [task for task in tasks if task not in wanted]:
        raise InputError(f"Round {opened.id} has no section {unknown[0]!r} whose facts to read.")
    if not wanted:
        raise InputError(f"Round {opened.id} has no section of a paper whose facts to read.")
    return asyncio.run(_write(path, header, opened, wanted, templates, progress, watch))


async def _write(
    path: Path,
    header: NuggetHeader,
    opened: Round,
    tasks: Sequence[str],
    prompts: PromptSet,
    progress: Progress | None,
    watch: Callable[[Model], None] | None,
) -> Row:
    done: dict[tuple[str, str], Section] = {}
    if path.exists():  # begun before, perhaps edited since
        there, sections = check_nuggets(path, opened)
        if there != header:
            raise InputError(
                f"{path} has facts by {there.model} with the template {there.template}, and these "
                f"would be by {header.model} with {header.template}. Name another file: --out FILE."
            )
        done = {section.key: section for section in sections}
    golds = {(t, row["id"]): row["reference"] for t in tasks for row in opened.items(FAMILY, t)}
    waiting = [key for key in golds if key not in done]
    order = {key: place for place, key in enumerate(dict.fromkeys([*golds, *done]))}
    # A cached model would keep connections of an earlier event loop.
    async with get_model(header.model, memoize=False) as writer:
        if watch:
            watch(writer)
        async for batch in run_in_batches(
            header.model,
            waiting,
            lambda key: _read_section(key, golds[key], writer, prompts),
            progress,
        ):
            done |= dict(batch)
            rows = [done[key] for key in sorted(done, key=order.__getitem__)]
            write_jsonl(path, [header.model_dump(), *(row.model_dump() for row in rows)])
    return _report(path, header, list(done.values()), len(waiting))


def _report(
    path: Path, header: NuggetHeader, sections: Sequence[Section], written: int, gone: int = 0
) -> Row:
    nuggets = [nugget for section in sections for nugget in section.nuggets]
    return {
        "path": str(path),
        **header.model_dump(),
        "sections": len(sections),
        "written": written,
        "gone": gone,
        "nuggets": len(nuggets),
        "vital": sum(nugget.importance == "vital" for nugget in nuggets),
        "dropped": sum(section.dropped for section in sections),
        "faults": {
            name: sum(section.fault == name for section in sections)
            for name in ("malformed", "refused")
        },
    }


async def _read_section(
    key: tuple[str, str], section: str, writer: Model, prompts: PromptSet
) -> Section:
    task, name = key
    values = {"kind": PARTS[task], "most": MAX_FACTS}
    sentences = split_sentences(section)[:MAX_FACTS]  # a usual reply has one fact per sentence
    facts = [{"text": one, "importance": "vital", "quote": one} for one in sentences]
    usual = json.dumps({"nuggets": facts})
    request = Request(TEMPLATE, {"section": section}, values, cut=("section",), usual=usual)
    read = partial(read_reply, section=section)
    facts_read, reply = await ask(writer, prompts, request, read, usual=_SETTINGS)
    if facts_read is None:
        fault = "refused" if reply.fault in REFUSED else "malformed"
        return Section(task=task, id=name, nuggets=(), fault=fault)
    nuggets, dropped = facts_read
    return Section(task=task, id=name, nuggets=tuple(nuggets), dropped=dropped)
