"""Arguments and options that the verbs on logs share."""

from __future__ import annotations

import typer

LOGS_ARGUMENT = typer.Argument(help="Folder of logs that viva run wrote.")
PARTIAL_OPTION = typer.Option(False, "--partial", help="Also show logs that lack samples, marked.")
RESAMPLES_OPTION = typer.Option(10_000, "--resamples", min=0, help="Bootstrap draws.")
SEED_OPTION = typer.Option(0, "--seed", help="Seed of the bootstrap.")
CUTOFFS_OPTION = typer.Option(
    None, "--cutoffs", metavar="FILE", help="Until when models' training data reach, as TOML."
)
MARGIN_OPTION = typer.Option(
    30, "--margin", min=0, help="Days after a cutoff whose items may have been seen."
)
SAMPLES_OPTION = typer.Option(
    5, "--samples", min=0, max=200, help="Items of each board to show with all answers; 0 for none."
)
BUNDLE_OPTION = typer.Option(
    None, "--bundle", help="Address or folder of a viewer made by inspect view bundle, to link to."
)
