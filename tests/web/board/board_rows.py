"""Rows of boards for tests, and the pages made from them."""

from pathlib import Path
from typing import Any

from lxml import html

from vivavoce.results.board.groups import Board, make_group, place_of
from vivavoce.results.logs.records import Place
from vivavoce.web.board.site import write_site

HOSTILE = [
    "a</script><script>window.__xss=1</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "{{ 7*7 }}{% raw %}",
    "rtl \u202egnp.exe",
    "nul\x00 zero\u200bwidth \ud800 lone",
    "../../../etc/passwd",
    "long" * 5000,
]


LACKING = (
    "judge rank_interval unranked tied_with undecided_with more_papers_needed contamination tokens "
    "cost seconds detectable exposure calibrated fit agent set_aside stopped trust_reason "
    "judge_own_family judge_cost"
)
"""What a row lacks unless a test gives it."""


def make_row(model: str, value: float | None, rank: int | None = None, **changes: Any) -> dict:
    row: dict[str, Any] = dict.fromkeys(LACKING.split()) | {
        "round": "2026-q1",
        "task": "vivavoce/title",
        "task_version": "1",
        "setting": "base",
        "method": "direct",
        "model": model,
        "decoding": "temperature=0 max_tokens=64",
        "prompt_hash": "9f2c41d07be3",
        "metric": "rougeL",
        "value": value,
        "value_valid": value,
        "ci": None if value is None else [value - 0.02, value + 0.02],
        "n": 120,
        "missing": 0,
        "undefined": 0,
        "valid": 1.0,
        "rank": rank,
        "family": "writing",
        "headline": True,
        "answers": changes.get("n", 120),
        "partial": False,
        "clusters": 40,
        "faults": {},
        "runs": {},
        "trust": "recomputed",
        "judge_tokens": 0,
    }
    return {**row, **changes}


def make_board(*shown: dict, **more: Any) -> Board:
    rounds = [
        {
            "id": "2026-q1",
            "window": ["2026-01-01", "2026-04-01"],
            "manifest": "ab" * 32,
            "counts": {"title": 120},
        }
    ]
    given = {"rounds": rounds, "headlines": {}, "metrics": {}, "notes": [], **more}
    groups: dict[Place, list[dict]] = {}
    for row in shown:
        groups.setdefault(place_of(row), []).append(row)
    return Board(
        groups=tuple(
            make_group(found, given["headlines"], given["metrics"]) for found in groups.values()
        ),
        rounds=tuple(given["rounds"]),
        headlines=given["headlines"],
        metrics=given["metrics"],
        notes=tuple(given["notes"]),
    )


def pages_below(out: Path, folder: str) -> list[Path]:
    """The pages of a folder of a site, sorted by name."""
    return sorted((out / folder).rglob("*.html"))


def read_index(board: Board, out: Path) -> html.HtmlElement:
    return html.fromstring(write_site(board, out).read_bytes())


def read_page(board: Board, out: Path) -> html.HtmlElement:
    """The page of the only board."""
    write_site(board, out)
    (page,) = pages_below(out, "boards")
    return html.fromstring(page.read_bytes())


def names(page: html.HtmlElement) -> list[str]:
    found = page.xpath("//table[contains(@class, 'board')]//tbody//th/bdi")
    return [text_of(name) for name in found]


def text_of(element: html.HtmlElement) -> str:
    return " ".join(element.text_content().split())


def row_of(page: html.HtmlElement, name: str) -> html.HtmlElement:
    """The row of a contestant."""
    rows = page.xpath("//table[contains(@class, 'board')]/tbody/tr")
    (found,) = [row for row in rows if text_of(row.find("th").find("bdi")) == name]
    return found
