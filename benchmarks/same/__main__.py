"""The command: record a tree, or compare two."""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.same import comparing, trees
from benchmarks.same.archive import Archive
from benchmarks.same.groups import list_groups
from benchmarks.same.recording import record
from benchmarks.same.scenario import Group

GROUPS = [group.name for group in list_groups(has_data=True)]


def main() -> int:
    """Record or compare, as the command line asks."""
    asked = _parse()
    data = asked.data if asked.data.is_dir() else None
    if data is None:
        print(f"{asked.data} is absent: sources are not compared")
    groups = list_groups(has_data=data is not None)
    wanted = [group for group in groups if asked.only is None or group.name in asked.only]
    if asked.record:
        here = record(asked.tree, _with_needs(wanted, groups, {}), data, {}, say)
        print("\n".join(comparing.failed_calls(here)))
        comparing.write(here, asked.record, asked.tree.name)
        print(asked.record)
        return 0
    if Path(asked.base).is_file():
        base = comparing.read(Path(asked.base))
    else:
        with trees.checked_out(asked.base) as tree:
            base = record(tree, _with_needs(wanted, groups, {}), data, {}, say)
    run = _with_needs(wanted, groups, base.stages)
    here = record(asked.tree, run, data, base.stages, say)
    difference = comparing.compare(base, here, [group.name for group in wanted])
    print("\n".join(comparing.lines_of(difference, all_things=asked.all)))
    for name in difference.changed[: asked.diffs]:
        print(f"\n{name}\n{comparing.short_diff(name, base, here)}")
    return 0 if difference.is_none else 1


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


def _with_needs(
    wanted: list[Group], groups: list[Group], stages: Mapping[str, Archive]
) -> list[Group]:
    """Add the groups whose leavings are needed and not there."""
    names = {group.name for group in wanted}
    for group in reversed(groups):
        if group.name in names:
            names |= {need for need in group.needs if need not in stages}
    return [group for group in groups if group.name in names]


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.same", description=__doc__)
    parser.add_argument("--base", help="A commit, or a file that --record wrote.")
    parser.add_argument("--record", type=Path, help="Write what the tree does into this file.")
    parser.add_argument("--tree", type=Path, default=trees.PROJECT, help="The checkout to run.")
    parser.add_argument("--only", type=lambda text: text.split(","), help=", ".join(GROUPS))
    parser.add_argument("--all", action="store_true", help="Also list what is the same.")
    parser.add_argument("--diffs", type=int, default=1, help="Differences to show in detail.")
    default = Path(os.environ.get("VIVAVOCE_DATA", trees.PROJECT.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=default)
    asked = parser.parse_args()
    if bool(asked.base) == bool(asked.record):
        parser.error("one of --base and --record")
    unknown = set(asked.only or []) - set(GROUPS)
    if unknown:
        parser.error(f"no group {', '.join(sorted(unknown))}; there are {', '.join(GROUPS)}")
    asked.tree = asked.tree.resolve()
    return asked


if __name__ == "__main__":
    sys.exit(main())
