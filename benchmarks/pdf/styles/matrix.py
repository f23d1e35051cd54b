"""Typeset the style matrix: fictional papers in every style, with what is true of each.

    python -m benchmarks.pdf.styles.matrix --out DIR [--papers N] [--variations N]
        [--styles NAME...]

Needs TeX Live (of Debian: texlive-latex-extra, -publishers, -science, -fonts-extra, -plain-generic
and cm-super), WeasyPrint, Chromium, LibreOffice and the fonts Liberation and Noto, each for its own
styles; a style whose program is missing is reported and left out. PDFs that are there stay, so a
stopped run goes on. `DIR/truth.jsonl` has a line for
each PDF, with whether it is held back.
"""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.pdf.styles import latex, web
from benchmarks.pdf.styles.story import CITATION, Part, Story, write_story
from benchmarks.pdf.styles.variations import is_held, vary

STYLES: dict[str, dict[str, Any]] = {**latex.STYLES, **web.STYLES}


def truth_of(story: Story, style: dict[str, Any]) -> dict[str, Any]:
    """Everything about a paper that a reader of its PDF should find."""
    parts = [*story.parts]
    if "css" not in style and not style.get("no_appendix"):
        parts += story.appendix
    people = story.people[:1] if style.get("front") == "thesis" else story.people
    return {
        "title": story.title,
        "authors": [person.name.strip() for person in people],
        "date": story.date,
        "abstract": story.abstract,
        "headings": [[part.level, part.heading] for part in parts],
        "run_in": [b.label for part in parts for b in part.blocks if b.kind == "run_in"],
        "texts": [text for part in parts for text in _texts(part)],
        "captions": [b.label for p in parts for b in p.blocks if b.kind in {"figure", "table"}],
        "references": [entry.title for entry in story.entries],
        "cited": [
            sorted(
                {
                    int(n)
                    for b in part.blocks
                    for m in CITATION.finditer(b.text)
                    for n in m[1].split(",")
                }
            )
            for part in parts
        ],
    }


def _texts(part: Part) -> list[str]:
    return [CITATION.sub("", block.text) for block in part.blocks if block.text]


def make(name: str, number: int, variation: int | None, out: Path) -> dict[str, Any] | str:
    """Typeset one paper; its truth, or the reason why it could not be typeset."""
    stem = f"{name}-{number}" if variation is None else f"{name}-v{variation}"
    style = STYLES[name] if variation is None else vary(name, STYLES[name], variation)
    language = style.get("language")
    # Every style gets other papers, so that no reader can learn the papers instead of the styles.
    drawn = sum(map(ord, name)) % 1000 + number
    try:
        if language:
            story = web.write_script_story(number, language)
        else:
            story = write_story(drawn, seed=0 if variation is None else 1)
        printer = web if "css" in style else latex
        if not (out / f"{stem}.pdf").exists():
            printer.typeset(story, style, out / f"{stem}.pdf", out / "work" / stem)
    except (OSError, RuntimeError, subprocess.SubprocessError, ImportError) as error:
        return f"{stem}: {error}"
    return {
        "file": f"{stem}.pdf",
        "style": name,
        "variation": variation,
        "is_held": is_held(name, variation),
        **truth_of(story, style),
    }


def main() -> int:
    """Typeset everything; exit code 1 when a style is missing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--papers", type=int, default=3, help="for each style")
    parser.add_argument("--variations", type=int, default=0, help="for each style, one paper each")
    parser.add_argument("--styles", nargs="*", default=list(STYLES))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tasks: list[tuple[str, int, int | None]] = [
        (style, n, None) for style in options.styles for n in range(options.papers)
    ]
    tasks += [(style, 100 + n, n) for style in options.styles for n in range(options.variations)]
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda task: make(*task, options.out), tasks))
    rows = [row for row in made if isinstance(row, dict)]
    failed = sorted({reason for reason in made if isinstance(reason, str)})
    truth = options.out / "truth.jsonl"
    kept = (
        [json.loads(line) for line in truth.read_text("utf-8").splitlines()]
        if truth.exists()
        else []
    )
    new = {row["file"] for row in rows}
    kept = [r for r in kept if r["file"] not in new and (options.out / r["file"]).exists()]
    rows = sorted([*kept, *rows], key=lambda row: row["file"])
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    truth.write_text(text, "utf-8")
    print(f"{len(rows)} papers in {options.out}")
    for reason in failed:
        print(f"left out: {reason}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
