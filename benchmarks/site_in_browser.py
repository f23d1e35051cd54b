"""How soon a reader can use the pages of a site: Chromium opens them from disk, sorts, filters.

    python -m benchmarks.site_in_browser SITE [--pages 5]

The largest pages of each folder are opened several times, with a processor slowed down four times.
A page counts as ready once its first hundred rows are laid out and its script has run, as whole
once all rows are drawn; sorting and filtering count until the table is laid out anew.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

MAX_SECONDS = 1.0
_ROUNDS = 5
_SLOWER = 4
_READY = "() => performance.getEntriesByType('navigation')[0].loadEventEnd"
_WHOLE = """() => new Promise(done => {
  const table = document.querySelector("table.board, table.matrix");
  const look = () => !table || table.classList.contains("whole")
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    : setTimeout(look, 5);
  look();
})"""
_SORT = """() => {
  const buttons = document.querySelectorAll("table thead button");
  if (!buttons.length) return 0;
  const began = performance.now();
  buttons[buttons.length - 1].click();
  document.body.getBoundingClientRect();
  return performance.now() - began;
}"""
_FILTER = """() => {
  const field = document.getElementById("filter");
  if (!field) return 0;
  const began = performance.now();
  field.value = "model-1";
  field.dispatchEvent(new Event("input", {bubbles: true}));
  document.body.getBoundingClientRect();
  return performance.now() - began;
}"""


def largest_pages(site: Path, most: int) -> list[Path]:
    """The largest pages of the site's own folder and of each folder below it."""
    folders: dict[str, list[Path]] = {}
    for path in site.rglob("*.html"):
        folders.setdefault(path.relative_to(site).parts[0], []).append(path)
    found = []
    for _, paths in sorted(folders.items()):
        found += sorted(paths, key=lambda path: (-path.stat().st_size, str(path)))[:most]
    return found


def measure(page: Page, path: Path) -> list[float]:
    """Median seconds until the page is whole and ready, and that a sort and a filter take."""
    found = []
    for _ in range(_ROUNDS):
        page.goto(path.resolve().as_uri(), wait_until="load")
        page.wait_for_function("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
        found.append([page.evaluate(script) / 1000 for script in (_WHOLE, _READY, _SORT, _FILTER)])
    return [statistics.median(column) for column in zip(*found, strict=True)]


def measure_site(site: Path, most: int) -> dict[Path, list[float]]:
    """The same of the largest pages of each folder.

    Raises:
        FileNotFoundError: Chromium is not installed.
    """
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        raise FileNotFoundError("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        devtools = page.context.new_cdp_session(page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": _SLOWER})
        found = {path: measure(page, path) for path in largest_pages(site, most)}
        browser.close()
    return found


def slowest(times: dict[Path, list[float]]) -> float:
    """The longest that anything took but to draw all rows."""
    return max(seconds for of_page in times.values() for seconds in of_page[1:])


def main() -> int:
    """Measure; 1 where a page takes longer than promised."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("site", type=Path)
    parser.add_argument("--pages", type=int, default=3, help="of each folder")
    given = parser.parse_args()
    try:
        found = measure_site(given.site, given.pages)
    except FileNotFoundError as error:
        sys.exit(str(error))
    for path, times in found.items():
        said = ", ".join(
            f"{what} {seconds:.3f} s"
            for what, seconds in zip(("whole", "ready", "sorted", "filtered"), times, strict=True)
        )
        print(f"{path.relative_to(given.site)} ({path.stat().st_size:,} bytes): {said}")
    print(f"slowest: {slowest(found):.3f} s")
    return 0 if slowest(found) <= MAX_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
