"""The page that says what an exam found, beside the board that it rests on."""

from __future__ import annotations

from vivavoce.examining.planning import dollars, papers_line
from vivavoce.examining.request import Request
from vivavoce.store import Row, write_text
from vivavoce.web import printing
from vivavoce.web.printing import environment_of

PAGE = "index.html"


def write_page(request: Request, report: Row) -> None:
    """Write the page; names of models and titles of papers are escaped."""
    environment = environment_of("vivavoce.examining")
    environment.filters |= {
        "figure": printing.figure,
        "interval": printing.interval,
        "dollars": dollars,
    }
    text = environment.get_template("verdict.html.j2").render(
        report,
        models=request.models,
        said_papers=papers_line(report["papers"]),
        source=request.papers,
    )
    write_text(request.site / PAGE, text)
