"""Papers of the style matrix as HTML, printed by WeasyPrint, Chromium or LibreOffice."""

import subprocess
import tomllib
from html import escape
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.pdf.styles.latex import entry_text
from benchmarks.pdf.styles.story import CITATION, Block, Entry, Part, Person, Story

_HERE = Path(__file__).parent
STYLES: dict[str, dict[str, Any]] = tomllib.loads((_HERE / "web.toml").read_text("utf-8"))
_SCRIPTS: dict[str, dict[str, Any]] = tomllib.loads((_HERE / "scripts.toml").read_text("utf-8"))


def write_script_story(number: int, language: str) -> Story:
    """A paper in another script: its words are drawn at random, its headings are usual ones."""
    words = _SCRIPTS[language]
    rng = Random(f"style-matrix/{language}/{number}")
    pool = words["words"].split()

    def sentence() -> str:
        drawn = rng.choices(pool, k=rng.randint(9, 22))
        middle = words["joint"].join(drawn[:6]) + words["comma"] + words["joint"].strip("\n")
        return middle + words["joint"].join(drawn[6:]) + words["stop"]

    def block() -> Block:
        cited = f"⟦{rng.randrange(9)}⟧" if rng.random() < 0.5 else ""
        text = words["joint"].join(sentence() for _ in range(rng.randint(4, 9)))
        return Block("text", text + cited)

    parts: list[Part] = []
    for place, heading in enumerate(words["tops"]):
        parts.append(Part(1, heading, [block() for _ in range(3)]))
        if 1 < place < 5:
            parts += [Part(2, name, [block(), block()]) for name in rng.sample(words["subs"], 2)]
    entries = tuple(
        Entry((("A.", "Moreau"), ("B.", "Szabó")), 2001 + n, f"{sentence()[:-1]}", "Journal", "1–9")
        for n in range(9)
    )
    people = tuple(Person(name, "", 0, "") for name in words["names"])
    return Story(
        title=words["title"],
        people=people,
        places=((words["places"][0], "", ""),),
        date="2019",
        doi="",
        abstract=words["joint"].join(sentence() for _ in range(5)),
        keywords="",
        parts=parts,
        thanks=sentence(),
        appendix=[],
        entries=entries,
    )


def page(story: Story, style: dict[str, Any]) -> str:
    """The whole page."""
    words = _SCRIPTS.get(style.get("language", ""), {})
    head = f"<style>{style['css']}</style>"
    names = ", ".join(
        escape(p.name.strip()) + (f"<sup>{p.place + 1}</sup>" if p.email else "")
        for p in story.people
    )
    places = "<br>".join(
        f"<sup>{n + 1}</sup> " + escape(", ".join(filter(None, place)))
        for n, place in enumerate(story.places)
    )
    abstract = words.get("abstract", "Abstract")
    front = (
        f'<h1>{escape(story.title)}</h1><p class="authors">{names}</p><p>{places}</p>'
        f"<p>{story.date}</p><p><b>{abstract}</b> {escape(story.abstract)}</p>"
    )
    numbers = _Numbers(bool(style.get("numbers")))
    body = "".join(_part(part, style, story, numbers) for part in story.parts)
    thanks = words.get("thanks", "Acknowledgements")
    back = (
        f"<h2>{thanks}</h2><p>{escape(story.thanks)}</p>"
        f"<h2>{words.get('references', 'References')}</h2>"
        f'<div class="refs">{"".join(_entries(story, style))}</div>'
    )
    language = style.get("language", "en")
    return (
        f'<!doctype html><html lang="{language}"><meta charset="utf-8"><title>{escape(story.title)}'
        f'</title>{head}<body>{front}<div class="body">{body}<div class="back">{back}</div></div>'
    )


class _Numbers:
    """Section numbers of a style that prints them."""

    def __init__(self, is_on: bool) -> None:
        self.is_on = is_on
        self.counts = [0, 0]

    def next(self, level: int) -> str:
        if level == 1:
            self.counts = [self.counts[0] + 1, 0]
        else:
            self.counts[1] += 1
        printed = ".".join(map(str, self.counts[:level]))
        return f"{printed}. " if self.is_on else ""


def _part(part: Part, style: dict[str, Any], story: Story, numbers: _Numbers) -> str:
    level = part.level + 1
    head = f"<h{level}>{numbers.next(part.level)}{escape(part.heading)}</h{level}>"
    return head + "".join(_block(block, style, story) for block in part.blocks)


def _block(block: Block, style: dict[str, Any], story: Story) -> str:
    text = CITATION.sub(lambda m: " " + _cited(m[1], style, story), escape(block.text))
    if block.kind == "run_in":
        return f"<p><b>{escape(block.label)}.</b> {text}</p>"
    if block.kind == "table":
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in block.rows
        )
        return f"<p><b>Table 1.</b> {escape(block.label)}</p><table>{rows}</table>"
    if block.kind == "figure":
        return (
            '<div class="figure"><svg width="200" height="90" xmlns="http://www.w3.org/2000/svg">'
            '<path d="M5 80 L190 80 M5 80 L5 5 M5 80 L180 20" stroke="black"/></svg>'
            f"<p><b>Figure 1.</b> {escape(block.label)}</p></div>"
        )
    if block.kind == "formula":
        return "<p><i>s</i> = <i>a</i> + <i>b</i> / 2</p>"
    if block.kind == "list":
        return "<ul>" + "".join(f"<li>{escape(row[0])}</li>" for row in block.rows) + "</ul>"
    return f"<p>{text}</p>" if text.strip() else ""


def _cited(numbers: str, style: dict[str, Any], story: Story) -> str:
    chosen = [int(number) for number in numbers.split(",")]
    if style.get("cite") == "author-year":
        return "(" + "; ".join(_short(story.entries[n]) for n in chosen) + ")"
    return "[" + ", ".join(str(n + 1) for n in chosen) + "]"


def _short(entry: Entry) -> str:
    names = [family for _, family in entry.authors]
    if len(names) > 2:
        return f"{names[0]} et al., {entry.year}"
    return f"{' and '.join(names)}, {entry.year}"


def _entries(story: Story, style: dict[str, Any]) -> list[str]:
    form = style["entries"]
    is_numbered = style.get("cite") != "author-year"
    return [
        f"<p>{f'[{n + 1}] ' if is_numbered else ''}{escape(entry_text(entry, form))}</p>"
        for n, entry in enumerate(story.entries)
    ]


def typeset(story: Story, style: dict[str, Any], out: Path, work: Path) -> None:
    """Print a story in a style; `subprocess.CalledProcessError` when the printer fails."""
    work.mkdir(parents=True, exist_ok=True)
    source = work / "paper.html"
    source.write_text(page(story, style), "utf-8")
    if style["engine"] == "weasyprint":
        from weasyprint import HTML

        HTML(filename=str(source)).write_pdf(str(out))
        return
    if style["engine"] == "chromium":
        command = [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
        ]
        command += [f"--user-data-dir={work / 'profile'}", f"--print-to-pdf={out}", source.as_uri()]
    else:
        command = ["soffice", f"-env:UserInstallation={(work / 'profile').as_uri()}", "--headless"]
        command += ["--convert-to", "pdf:writer_web_pdf_Export", "--outdir", str(work), str(source)]
    subprocess.run(command, capture_output=True, timeout=300, check=True)
    if style["engine"] == "office":
        out.write_bytes((work / "paper.pdf").read_bytes())
