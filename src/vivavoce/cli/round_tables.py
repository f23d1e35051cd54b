"""How `viva round stats` shows the tables of a round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vivavoce.cli.output import print_table, say

if TYPE_CHECKING:
    from vivavoce.rounds import Round
    from vivavoce.store import Row


def read_table_statistics(opened: Round) -> Row:
    """What a round says of its literature tables, under `literature_tables`; empty without any."""
    import json

    from vivavoce.tasks.tables.items.table_items import FAMILY, STATISTICS

    if f"{FAMILY}/{STATISTICS}" not in opened.manifest["files"]:
        return {}
    return {"literature_tables": json.loads(opened.read_file(FAMILY, STATISTICS))}


def print_table_statistics(found: Row) -> None:
    """Print sizes, papers a table, and what captions and demands have in common with the tables."""
    say("")
    print_table(
        ["a table has", "min", "max", "mean", "total"],
        [
            [name, *(_number(spread[key]) for key in ("min", "max", "mean", "total"))]
            for name, spread in found["sizes"].items()
        ],
        title=f"Literature tables: {found['tables']:,} ({_counts(found['kinds'])})",
    )
    empty = found["empty_cells"]
    say(
        f"{found['distinct_papers']:,} different papers; papers in the pools are known by "
        f"{_counts(found['evidence'])}; {'–' if empty is None else f'{empty:.1%}'} of cells are N/A"
    )
    say("")
    by_papers = sorted((int(papers), n) for papers, n in found["tables_by_papers"].items())
    print_table(
        ["papers", *(str(papers) for papers, _ in by_papers)],
        [["tables", *(f"{n:,}" for _, n in by_papers)]],
        title="Tables by their number of papers",
    )
    say("")
    prompts = found["overlap"]
    print_table(
        ["prompt", "shares words of", "tables", "share", "words"],
        [
            [
                name,
                part,
                f"{one[part]['tables']:,}",
                "–" if one[part]["share"] is None else f"{one[part]['share']:.1%}",
                _number(one[part]["tokens"]),
            ]
            for name, one in prompts.items()
            for part in ("schema", "value")
        ],
        title="What captions and demands have in common with their tables",
    )
    say("")
    _print_lengths(prompts)
    demands = found["demands"]
    say(f"Demands: {_counts(demands['sources'])}; {demands['flagged']:,} flagged by the checklist")
    pools = found["pools"]
    say(
        f"Distractors: {pools['pool_rule']}, {pools['encoder']}, out of {pools['universe']:,} "
        f"works; {pools['missing_distractors']:,} missing, {pools['without_distractors']:,} tables "
        "without any"
    )


def _print_lengths(prompts: Row) -> None:
    """Lengths of captions and demands, and in each bar how many share a word with their table."""
    bars = {
        name: {bar["from"]: bar for bar in one["lengths"]["bars"]} for name, one in prompts.items()
    }
    starts = sorted({start for one in bars.values() for start in one})
    unit = next(iter(prompts.values()))["lengths"]["unit"]
    print_table(
        ["length", *(head for name in prompts for head in (name, "sharing"))],
        [
            [
                next(f"{bar['from']}-{bar['to']}" for one in bars.values() if (bar := one.get(at))),
                *(
                    f"{one[at][key]:,}" if at in one else ""
                    for one in bars.values()
                    for key in ("prompts", "overlapping")
                ),
            ]
            for at in starts
        ],
        title=f"Lengths of captions and demands: {unit}",
    )
    means = (f"{name} {_number(one['lengths']['mean'])}" for name, one in prompts.items())
    say(f"mean: {', '.join(means)}")


def _counts(counts: Row) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def _number(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
