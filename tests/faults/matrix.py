"""The matrix of faults: tests that show that a fault is handled, pass or fail.

`make faults` runs the tests of rows.toml and prints a line a row; with `--list` none is run, with
`--markdown` the table of docs/trust.md is written anew.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
REGISTRY = Path(__file__).with_name("rows.toml")
PAGE = ROOT / "docs" / "trust.md"
BEGIN, END = "<!-- faults: begin -->\n", "<!-- faults: end -->\n"
WORKERS = 2


@dataclass(frozen=True)
class Row:
    """A fault, what is expected, and the tests that show it or the reason why there are none."""

    number: int
    fault: str
    expected: str
    tests: tuple[str, ...] = ()
    reason: str = ""
    open: str = ""
    """What of the row no test shows."""


@dataclass
class Count:
    """How many cases of a row's tests ended how; a test that never ran has failed."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    missing: list[str] = field(default_factory=list)

    def verdict(self, row: Row) -> str:
        """held, FAILED, skipped, no test (a reason is given) or NO TEST."""
        if not row.tests:
            return "no test" if row.reason else "NO TEST"
        if self.failed or self.missing:
            return "FAILED"
        if not self.passed:
            return "skipped"
        return "held, some skipped" if self.skipped else "held"


def read_registry(path: Path = REGISTRY) -> tuple[list[Row], dict[str, str]]:
    """The rows, and the tests that stand in several of them with the reason."""
    found = tomllib.loads(path.read_text("utf-8"))
    rows = [Row(**{**row, "tests": tuple(row.get("tests", ()))}) for row in found["row"]]
    return rows, found.get("shared", {})


def run_tests(names: Collection[str]) -> dict[str, Counter[str]]:
    """Run tests with pytest; for each, how many of its cases ended how."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            *(sys.executable, "-m", "pytest", "-q", "-n", str(WORKERS), "--dist", "loadfile"),
            *("-p", "no:cacheprovider", f"--junitxml={report}", "-o", "junit_family=xunit1"),
            *(f"tests/{name}" for name in sorted(names)),
        ]
        subprocess.run(command, cwd=ROOT, check=False, stdout=sys.stderr)
        if not report.is_file():
            sys.exit("pytest ended without a report: the tests could not be run")
        return read_report(report)


def read_report(report: Path) -> dict[str, Counter[str]]:
    """For each test of a JUnit report, how many of its cases passed, failed or were skipped."""
    ends: dict[str, Counter[str]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        # The module stands as a dotted name; parameters stand behind the name of the function.
        path = case.get("file") or case.get("classname", "").replace(".", "/") + ".py"
        name = f"{path.removeprefix('tests/')}::{case.get('name', '').partition('[')[0]}"
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            end = "failed"
        else:
            end = "skipped" if "skipped" in kinds else "passed"
        ends.setdefault(name, Counter())[end] += 1
    return ends


def count_row(row: Row, ends: dict[str, Counter[str]]) -> Count:
    """Add up how the tests of a row ended."""
    total = sum((ends.get(name, Counter()) for name in row.tests), Counter())
    missing = [name for name in row.tests if name not in ends]
    return Count(total["passed"], total["failed"], total["skipped"], missing)


def print_matrix(rows: Sequence[Row], ends: dict[str, Counter[str]]) -> bool:
    """Print a line a row; whether every row is held or has a reason."""
    width = min(72, max(len(row.fault) for row in rows))
    print(f"{'row':>3}  {'fault':<{width}}  passed  failed  skipped  verdict")
    is_sound = True
    for row in rows:
        count = count_row(row, ends)
        verdict = count.verdict(row)
        fault = row.fault if len(row.fault) <= width else row.fault[: width - 1] + "…"
        numbers = f"{count.passed:>6}  {count.failed:>6}  {count.skipped:>7}"
        print(f"{row.number:>3}  {fault:<{width}}  {numbers}  {verdict}")
        for name in count.missing:
            print(f"     did not run: {name}")
        if not row.tests and row.reason:
            print(f"     because {row.reason}")
        is_sound = is_sound and verdict not in {"FAILED", "NO TEST"}
    return is_sound


def print_list(rows: Sequence[Row]) -> None:
    """Print every row with its tests, and run none."""
    for row in rows:
        print(f"{row.number:>2}  {row.fault}\n    {row.expected}")
        for name in row.tests:
            print(f"    - {name}")
        if row.reason:
            print(f"    no test, because {row.reason}")
        if row.open:
            print(f"    open: {row.open}")


def markdown_table(rows: Sequence[Row]) -> str:
    """The rows as the table of docs/trust.md, followed by what they leave open."""
    lines = ["| # | fault | what is promised | tests |\n", "|---|---|---|---|\n"]
    for row in rows:
        counts = Counter(name.partition("::")[0] for name in row.tests)
        shown = ", ".join(f"`{path}` {count}" for path, count in counts.items())
        cells = (str(row.number), row.fault, row.expected, shown or f"none: {row.reason}")
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n")
    lines.append("\nThese tests do not show:\n\n")
    lines += [f"- Row {row.number}: {row.open}.\n" for row in rows if row.open]
    lines += [
        f"- Row {row.number}: not tested because {row.reason}.\n" for row in rows if row.reason
    ]
    return "".join(lines)


def fill_page(text: str, table: str) -> str:
    """A page with a table between its two marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"the page has no lines {BEGIN.strip()} and {END.strip()}")
    return f"{before}{BEGIN}{table}{END}{after}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; 1 when a row has a failing test, or neither test nor reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", type=int, help="numbers of rows; all when none is given")
    parser.add_argument("--list", action="store_true", help="print the tests, run none")
    parser.add_argument("--markdown", action="store_true", help="write the table of docs/trust.md")
    options = parser.parse_args(arguments)
    every, _ = read_registry()
    if options.markdown:
        PAGE.write_text(fill_page(PAGE.read_text("utf-8"), markdown_table(every)), "utf-8")
        print(PAGE.relative_to(ROOT))
        return 0
    rows = [row for row in every if not options.rows or row.number in options.rows]
    if not rows:
        parser.error("there is no such row")
    if options.list:
        print_list(rows)
        return 0
    names = {name for row in rows for name in row.tests}
    return 0 if print_matrix(rows, run_tests(names) if names else {}) else 1


if __name__ == "__main__":
    sys.exit(main())
