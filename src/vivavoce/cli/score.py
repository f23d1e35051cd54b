"""The verb that scores files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import typer

from vivavoce.cli.output import JSON_OPTION, print_json, print_table, say


class Aggregation(StrEnum):
    """How questions of several items are put together."""

    macro = "macro"
    micro = "micro"


def score(
    family: str = typer.Argument(
        help="writing, ranking, leaderboards, tables, factor or architecture."
    ),
    gold: Path = typer.Option(..., "--gold", help="The gold file."),
    predictions: Path = typer.Option(..., "--predictions", help="The answers."),
    resamples: int = typer.Option(10_000, "--resamples", min=0, help="0 for no intervals."),
    seed: int = typer.Option(0, "--seed", help="Seed of the bootstrap and of sampled pairs."),
    aggregate: Aggregation = typer.Option(Aggregation.macro, "--aggregate"),
    stem: bool = typer.Option(False, "--stem", help="writing: compare word stems."),
    bertscore: str | None = typer.Option(
        None, "--bertscore", help="writing: a model name or path that adds BERTScore."
    ),
    layer: int | None = typer.Option(None, "--layer", help="writing: BERTScore's layer."),
    legacy: bool = typer.Option(False, "--legacy", help="ranking, architecture: as published."),
    pairs: int | None = typer.Option(None, "--pairs", min=1, help="tables: pairs asked a table."),
    gamma: float = typer.Option(1.1, "--gamma", help="architecture: weight of deeper layers."),
    as_json: bool = JSON_OPTION,
) -> None:
    """Score answers made anywhere against a gold file; loads no model and no Inspect."""
    from vivavoce.results.scoring import ScoreOptions
    from vivavoce.results.scoring import score as score_files

    options = ScoreOptions(
        aggregate=aggregate.value,
        seed=seed,
        stem=stem,
        bertscore=bertscore,
        layer=layer,
        legacy=legacy,
        pairs=pairs,
        gamma=gamma,
    )
    result = score_files(family, gold, predictions, resamples=resamples, options=options)
    if as_json:
        print_json(result)
        return
    rows = [
        [
            name,
            "undefined" if entry["value"] is None else f"{entry['value']:.4f}",
            "" if entry["ci"] is None else f"[{entry['ci'][0]:.4f}, {entry['ci'][1]:.4f}]",
            str(entry["n"]),
            str(entry["undefined"]),
        ]
        for name, entry in result["metrics"].items()
    ]
    print_table(["metric", "value", "95% interval", "n", "undefined"], rows)
    say(f"{predictions}: {result['n']:,} items, {result['missing']:,} without a prediction")
