"""Print the reports as PDF, beside their Markdown.

PYTHONPATH=src python tests/tasks/implementation/print_reports.py [NAME ...]
"""

import html
import re
import shutil
import sys

from markdown_it import MarkdownIt

from vivavoce.metrics.formulas import linear_form
from vivavoce.tasks.implementation.items.report import FOLDER, Report, list_reports

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
_STYLE = """
body { font: 11pt/1.45 "DejaVu Serif", serif; text-align: left; }
h1 { font-size: 17pt; } h2 { font-size: 13.5pt; } h3 { font-size: 11.5pt; }
h1, h2, h3 { font-family: "DejaVu Sans", sans-serif; break-after: avoid; }
p.formula { margin: 1.5em 2em; break-inside: avoid; }
"""


def as_page(report: Report) -> str:
    """A report as HTML, its formulas as lines of text."""
    formulas: list[str] = []

    def hold(match: re.Match[str]) -> str:
        formulas.append(linear_form(match[1] or match[2]))
        return f"FORMULA{len(formulas) - 1}X"

    body = MarkdownIt().render(_FORMULA.sub(hold, report.text))
    body = re.sub(r"<p>(FORMULA\d+X)</p>", r'<p class="formula">\1</p>', body)
    body = re.sub(r"FORMULA(\d+)X", lambda m: html.escape(formulas[int(m[1])]), body)
    title = html.escape(report.title)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>{body}</body></html>"
    )


def print_reports(names: list[str]) -> None:
    """Print some reports; all without names."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        for name in names or list(list_reports()):
            page.set_content(as_page(list_reports()[name]))
            margin = dict.fromkeys(("top", "right", "bottom", "left"), "25mm")
            page.pdf(path=FOLDER / f"{name}.pdf", format="A4", margin=margin)
        browser.close()


if __name__ == "__main__":
    print_reports(sys.argv[1:])
