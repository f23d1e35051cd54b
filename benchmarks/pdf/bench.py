"""Full extraction of PDFs against pdfplumber and pypdf, on the same files in one process.

    python benchmarks/pdf/bench.py [--data DIR] [--repeats N] [--json]

Counts process CPU time, each tool on every file in turn; a tool's time is the median of its
repeats. pypdf runs with a visitor that takes font sizes, and once without for plain text.
pdfplumber reads words with their sizes from the first pages of each file, since it is slow.
Ends with exit code 1 when a target is missed.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TARGETS = {"pages per CPU second": 25.0, "x pdfplumber": 5.0, "x pypdf with sizes": 1.6}
MAX_MEGABYTES = 200
PLUMBER_PAGES = 3


def ours(path: Path) -> int:
    """Everything that an ingest does with a file."""
    from vivavoce.sources.fulltext.pdf.document import read_file

    read_file(path)
    return _pages(path)


def pypdf_sizes(path: Path) -> int:
    """Text with the size of each piece."""
    from pypdf import PdfReader

    reader = PdfReader(path)
    seen: list[tuple[str, float]] = []

    def visit(text: str, cm: Any, tm: Any, font: Any, size: float) -> None:
        seen.append((text, size))

    for page in reader.pages:
        page.extract_text(visitor_text=visit)
    return len(reader.pages)


def pypdf_plain(path: Path) -> int:
    """Text alone."""
    from pypdf import PdfReader

    reader = PdfReader(path)
    for page in reader.pages:
        page.extract_text()
    return len(reader.pages)


def plumber(path: Path) -> int:
    """Words with their sizes and fonts, of the first pages."""
    import pdfplumber

    with pdfplumber.open(path) as document:
        pages = document.pages[:PLUMBER_PAGES]
        for page in pages:
            page.extract_words(extra_attrs=["size", "fontname"])
        return len(pages)


def _pages(path: Path) -> int:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        return len(document)


TOOLS: dict[str, Callable[[Path], int]] = {
    "vivavoce": ours,
    "pypdf with sizes": pypdf_sizes,
    "pypdf plain text": pypdf_plain,
    "pdfplumber": plumber,
}


def run(files: list[Path], repeats: int) -> dict[str, float]:
    """Pages per CPU second of each tool: the median of its passes."""
    speeds: dict[str, list[float]] = {name: [] for name in TOOLS}
    ours(files[0])
    for repeat in range(repeats):
        seconds = dict.fromkeys(TOOLS, 0.0)
        pages = dict.fromkeys(TOOLS, 0)
        for path in files:
            for name, tool in TOOLS.items():
                if repeat and name == "pdfplumber":
                    continue
                start = time.process_time()
                pages[name] += tool(path)
                seconds[name] += time.process_time() - start
        for name in TOOLS:
            if pages[name]:
                speeds[name].append(pages[name] / seconds[name])
    return {name: statistics.median(found) for name, found in speeds.items()}


def peak_megabytes(files: list[Path]) -> float:
    """The most memory that a process of its own holds while it reads all files."""
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from vivavoce.sources.fulltext.pdf.document import read_file\n"
        "for name in sys.argv[1:]:\n"
        "    read_file(Path(name))\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    command = [sys.executable, "-c", code, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = sorted((options.data / "pdf").glob("*.pdf"))
    if not files:
        sys.exit(f"no PDF at {options.data / 'pdf'}")
    speeds = run(files, options.repeats)
    own = speeds["vivavoce"]
    figures = {
        "pages per CPU second": own,
        "x pdfplumber": own / speeds["pdfplumber"],
        "x pypdf with sizes": own / speeds["pypdf with sizes"],
    }
    memory = peak_megabytes(files)
    missed = [name for name, target in TARGETS.items() if figures[name] < target]
    missed += ["peak memory"] if memory > MAX_MEGABYTES else []
    if options.json:
        print(json.dumps({"speeds": speeds, "figures": figures, "megabytes": memory}))
    else:
        for name, speed in speeds.items():
            print(f"{name:20} {speed:8.1f} pages per CPU second")
        for name, target in TARGETS.items():
            print(f"{name:20} {figures[name]:8.2f} (target {target})")
        print(f"{'peak memory':20} {memory:8.0f} MB (target {MAX_MEGABYTES})")
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{'this process':20} {used:8.0f} MB, all tools together")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
