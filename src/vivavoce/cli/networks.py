"""Verbs that build and measure the networks of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from vivavoce.cli.bind import Json, verb
from vivavoce.cli.corpus import CorpusFolder
from vivavoce.cli.output import answer, print_counts, print_json, print_table, progress, say
from vivavoce.reports import Column, sheet
from vivavoce.requests import Opt

if TYPE_CHECKING:
    pass

Network = Literal["coauthor", "citation", "comparison"]

app = typer.Typer(no_args_is_help=True, help="Build the networks of a corpus and measure them.")


@verb(app, "network build --corpus corpus")
def build(
    corpus: CorpusFolder,
    only: Annotated[Sequence[Network], Opt("Build this network alone; repeatable.")] = (),
    fresh: Annotated[bool, Opt("Rebuild instead of updating existing networks.")] = False,
    as_json: Json = False,
) -> None:
    """Build the co-author, citation and comparison networks of a corpus, or update them."""
    import pyarrow as pa

    from vivavoce.corpus.reading import load_corpus
    from vivavoce.networks.stored import build_networks
    from vivavoce.networks.tables import FOLDER

    # Arrow's own pool is slow to allocate its first pages; a build is too short to benefit.
    pa.set_memory_pool(pa.system_memory_pool())
    names = list(only)
    with progress("Building networks") as update:
        manifest = build_networks(load_corpus(corpus), only=names, fresh=fresh, progress=update)
    sizes = {
        name: {part: files["rows"] for part, files in entry["files"].items()}
        for name, entry in manifest["networks"].items()
        if not names or name in names
    }
    path = str(corpus / FOLDER)
    lines = [f"  {name}: {n['nodes']:,} nodes, {n['edges']:,} edges" for name, n in sizes.items()]
    answer({"networks": sizes, "path": path}, [*lines, path], as_json=as_json)


@verb(app, "network stats --corpus corpus --by domain")
def stats(
    corpus: CorpusFolder,
    by: Annotated[Literal["domain"] | None, Opt("Break the numbers down by arXiv domain.")] = None,
    as_json: Json = False,
) -> None:
    """Measure the networks: authors, papers, edges, components."""
    from vivavoce import networks
    from vivavoce.corpus import load_corpus

    opened = load_corpus(corpus)
    found: Any = networks.by_domain(opened) if by else networks.network_stats(opened)
    if as_json:
        print_json(found)
    elif by:
        _print_domains(found)
    else:
        say(str(corpus))
        print_counts(found)


def _print_domains(rows: list[dict[str, Any]]) -> None:
    networks = ("citation", "comparison")
    counts = ("within", "to_others", "from_others", "external")
    print_table(
        sheet(
            "",
            [{**row, **row[name], "network": name} for row in rows for name in networks],
            Column(lambda row: row["domain"] or "none", "domain"),
            *("papers", Column("references_mean", "references", form=".1f"), "network"),
            *(Column(name, name.replace("_", " ")) for name in counts),
            *(Column(f"{name}_mean", name, form=".2f") for name in ("in", "out")),
        )
    )
