"""Building of a round from a corpus and a spec, into a folder that never changes.

The card, `card.md`, describes the round to readers.
"""

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from vivavoce.corpus import Corpus
from vivavoce.errors import EmptyRoundError, VivaError
from vivavoce.plugins import returned, wrong_result
from vivavoce.rounds.anchors import Lineage, write_rows
from vivavoce.rounds.family import EVERY_TASK, Builder, Exclusion, FamilyItems
from vivavoce.rounds.licences import LICENCES, licences_of
from vivavoce.rounds.reading import MANIFEST, Round, load_round, write_commitment
from vivavoce.rounds.spec import RoundSpec
from vivavoce.store import (
    Row,
    canonical_json,
    hash_file,
    hash_tree,
    lock,
    write_bytes,
    write_chunks,
    write_json,
    write_sealed,
    write_text,
)
from vivavoce.version import __version__

FORMAT = 1


def build_round(
    corpus: Corpus,
    spec: RoundSpec,
    builders: Mapping[str, Builder],
    out: Path,
    *,
    lineage: Lineage | None = None,
) -> Round:
    """Build a round into `out`/ID and open it.

    The same corpus and spec give the same bytes; building an existing round again checks this. A
    sealed round also gets a commitment to its items, `ID.sealed.json`. If the parent in a lineage,
    or an earlier update of that parent, already has the same items, no round is written; the
    existing round is returned.

    Raises:
        LockedError: Another process builds into `out`.
        VivaError: The round exists with other content, or no item is left.
    """
    final = out / spec.round.id
    draft = out / f".{spec.round.id}.draft"
    with lock(out):
        shutil.rmtree(draft, ignore_errors=True)
        _write_round(draft, corpus, spec, builders, lineage)
        if lineage and (there := lineage.same_as(load_round(draft), spec)):
            shutil.rmtree(draft)
            return there
        if not final.exists():
            draft.rename(final)
        elif hash_tree(draft) == hash_tree(final):
            shutil.rmtree(draft)
        else:
            old, new = hash_tree(final), hash_tree(draft)
            changed = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
            shutil.rmtree(draft)
            raise VivaError(
                f"{final} is a published round and would change ({', '.join(changed)}). "
                "Give the new round another id, or remove the folder if nobody uses it."
            )
        built = load_round(final)
        if spec.round.sealed:
            write_commitment(built, out)
    return built


def _write_round(
    draft: Path,
    corpus: Corpus,
    spec: RoundSpec,
    builders: Mapping[str, Builder],
    lineage: Lineage | None,
) -> None:
    files: Row = {}
    counts: dict[str, Row] = {}
    exclusions: dict[str, tuple[Exclusion, ...]] = {}
    notes: list[str] = []
    for family, options in spec.families.items():
        follows = lineage is not None and bool(getattr(builders[family], "FOLLOWS_AUTHORS", False))
        seen = lineage.corpus if lineage and follows else corpus
        allowed = lineage.late.allow(family, spec) if lineage and follows else spec
        build = builders[family].build
        items = returned(build, build(seen, allowed, options), FamilyItems)
        for task, rows in items.tasks.items():
            ids = Counter(row.get("id") for row in rows)
            if unusable := [name for name, count in ids.items() if not name or count > 1]:
                raise wrong_result(
                    build, f"gave items of {task} without an id of their own: {unusable[0]!r}"
                )
        if lineage:
            lineage.late.note(items, allowed)
            may_add = lineage.moves_to(spec) or (follows and bool(lineage.state))
            items = lineage.anchors.keep(family, items, may_add=may_add)
            left = lineage.left.items() if follows else ()
            outside = (Exclusion(EVERY_TASK, name, *reason) for name, reason in left)
            items = replace(items, excluded=[*items.excluded, *outside])
        files.update(_write_items(draft, family, items))
        notes += items.notes
        counts[family] = {
            task: _count(task, rows, items.excluded) for task, rows in items.tasks.items()
        }
        exclusions[family] = tuple(
            sorted(items.excluded, key=lambda e: (e.task, e.reason, e.paper_id, e.setting))
        )
    is_empty = not any(task["items"] for tasks in counts.values() for task in tasks.values())
    if is_empty and not (lineage and lineage.moves_to(spec)):
        reasons = Counter(e.reason for excluded in exclusions.values() for e in excluded)
        raise EmptyRoundError(
            f"Round {spec.round.id} would have no items. Papers were left out for these reasons: "
            + ", ".join(f"{reason} {n}" for reason, n in sorted(reasons.items()))
        )
    write_chunks(draft / "leakage.json", _leakage(exclusions))
    write_json(draft / "spec.json", spec.canonical())
    write_text(draft / "card.md", render_card(corpus, spec, counts, lineage, notes))
    write_json(draft / LICENCES, {"papers": licences_of(corpus, draft)})
    for name in ("leakage.json", "spec.json", "card.md", LICENCES):
        files[name] = {"sha256": hash_file(draft / name)}
    if lineage:
        files.update(lineage.write(draft))
    manifest = {
        "format": FORMAT,
        "id": spec.round.id,
        "window": spec.canonical()["round"]["window"],
        "seed": spec.round.seed,
        "families": list(spec.families),
        "spec": spec.sha256,
        "corpus": corpus.fingerprint,
        "code": __version__,
        "counts": counts,
        "files": files,
        **({"parent": lineage.parent.link} if lineage else {}),
    }
    write_sealed(draft / MANIFEST, manifest)


def _write_items(draft: Path, family: str, items: FamilyItems) -> Row:
    entries: Row = {}
    for task, rows in items.tasks.items():
        name = f"{family}/{task}.parquet"
        entries[name] = write_rows(draft / name, rows, items.schemas[task])
    for name, content in sorted(items.files.items()):
        path = draft / family / name
        write_bytes(path, content)
        entries[f"{family}/{name}"] = {"sha256": hash_file(path)}
    return entries


def _count(task: str, rows: Sequence[Row], excluded: Sequence[Exclusion]) -> Row:
    """Count items and exclusions, also by setting if the items have settings."""
    exclusions = [exclusion for exclusion in excluded if exclusion.task in (EVERY_TASK, task)]
    counts: Row = {
        "items": len(rows),
        "clusters": len({row["cluster"] for row in rows}),
        "excluded": _by_reason(e for e in exclusions if not e.setting),
    }
    if settings := Counter(setting for row in rows for setting in row.get("settings", ())):
        counts["settings"] = dict(sorted(settings.items()))
    if partly := sorted({e.setting for e in exclusions if e.setting}):
        counts["excluded_from"] = {
            setting: _by_reason(e for e in exclusions if e.setting == setting) for setting in partly
        }
    return counts


def _by_reason(excluded: Iterable[Exclusion]) -> dict[str, int]:
    return dict(sorted(Counter(exclusion.reason for exclusion in excluded).items()))


def _leakage(exclusions: Mapping[str, tuple[Exclusion, ...]]) -> Iterator[bytes]:
    """Chunks of the file of exclusions, which lists nearly every paper of a large corpus.

    It has counts by reason, then a line per paper, task and setting.
    """
    counts = _by_reason(e for excluded in exclusions.values() for e in excluded)
    yield f'{{"counts": {canonical_json(counts)},\n"excluded": ['.encode()
    before = "\n"
    for family, excluded in exclusions.items():
        for exclusion in excluded:
            row = {"family": family, **asdict(exclusion)}
            if not exclusion.setting:
                del row["setting"]
            yield f"{before}{canonical_json(row)}".encode()
            before = ",\n"
    yield b"\n]}\n"


def render_card(
    corpus: Corpus,
    spec: RoundSpec,
    counts: Mapping[str, Row],
    lineage: Lineage | None,
    notes: Sequence[str] = (),
) -> str:
    """Render the card as Markdown: window, items, exclusions, licences, and the update."""
    tasks = [(f, t, row) for f, by_task in counts.items() for t, row in by_task.items()]
    left_out: list[tuple[str, dict[str, int]]] = []
    for _, task, row in tasks:
        partly = row.get("excluded_from", {}).items()
        left_out += [(task, row["excluded"]), *((f"{task}, {name}", why) for name, why in partly)]
    licences = Counter(paper.licence or "not stated" for paper in corpus.papers)
    return render(
        "card.md",
        corpus=corpus,
        spec=spec,
        lineage=lineage,
        notes=notes,
        tasks=tasks,
        settings=[(t, *pair) for _, t, row in tasks for pair in row.get("settings", {}).items()],
        left_out=[(where, *pair) for where, reasons in left_out for pair in reasons.items()],
        licences=sorted(licences.items()),
    )


def render(name: str, **values: Any) -> str:
    """Render a template by name, such as `card.md`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["thousands"] = "{:,}".format
    return templates.get_template(f"{name}.jinja").render(values)
