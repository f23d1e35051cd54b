"""Papers with text that a reader may lose, and papers without: is loss flagged, and only loss?

    python -m benchmarks.pdf.loss --half dev|test [--real DIR]

Every paper is typeset here, so that its words are known. A planted paper loses more than 5% of them
when its kind of layout is not read; a sound one has the same layouts without that. A paper counts
as lost when over 5% of its words are absent from what was read, whatever was planted. The variants
are split in halves by the hash of their names; rules were written with `dev` in view.
"""

import argparse
import hashlib
import itertools
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from benchmarks.pdf.score import is_in_half
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from tests.sources.pdf_pages import BOLD, HEIGHT, TEXT, Paper

from vivavoce.records import Document
from vivavoce.sources.fulltext.pdf.document import read_file

LOST = 0.05
TURNS = {"sideways": 90, "askew": 14}
FACES = {"times": (TEXT, 10.0, 12.0), "helvetica": ("Helvetica", 9.0, 12.5)}
FRAMES = {"wide": (108.0, 396.0), "narrow": (150.0, 312.0)}
SYLLABLES = "ka lo mi ne ru sa te vo pi du fa gel hor bin dar tem sol ver".split()
HEADINGS = ("1 Introduction", "2 Method", "3 Results", "4 Discussion", "5 Conclusion")


class Typesetter:
    """A paper under construction, with every word of its running text."""

    def __init__(self, path: Path, face: str, frame: str, seed: int) -> None:
        left, width = FRAMES[frame]
        self.font, size, leading = FACES[face]
        self.page = Paper(path, left=left, width=width, size=size, leading=leading)
        self.random = random.Random(seed)
        self.words: list[str] = []

    def prose(self, count: int) -> list[str]:
        """New words, which the paper is to hold."""
        made = [
            "".join(self.random.choices(SYLLABLES, k=self.random.randint(1, 3)))
            for _ in range(count)
        ]
        made[-1] += "."
        self.words += made
        return made

    def line(self, text: str, x: float) -> None:
        """Set a line below the last one, on a new page where this one is full."""
        if self.page.y > 690:
            self.page.page()
        self.page.y += self.page.leading
        self.page.say(text, x, self.page.y, self.font, self.page.size)

    def fill(self, words: list[str], x: float, width: float) -> None:
        """Words in lines of a width."""
        line: list[str] = []
        for word in words:
            text = " ".join([*line, word])
            if line and stringWidth(text, self.font, self.page.size) > width:
                self.line(" ".join(line), x)
                line = []
            line.append(word)
        self.line(" ".join(line), x)

    def paragraph(self, count: int) -> None:
        """A paragraph of new words."""
        self.fill(self.prose(count), self.page.left, self.page.width)

    def heading(self, text: str) -> None:
        """A bold heading with a paragraph's room below it."""
        if self.page.y > 640:
            self.page.page()
        self.page.heading(text, BOLD, self.page.size + 2)


Plant = Callable[[Typesetter], None]


def nothing(paper: Typesetter) -> None:
    """A paragraph more."""
    paper.paragraph(60)


def figure(paper: Typesetter) -> None:
    """A picture with labels, and its caption."""
    page = paper.page
    page.y += 20
    for row in range(5):
        page.say(f"Layer {row}", page.left + 30 * row, page.y + 14 * row, "Helvetica", 7)
    page.y += 90
    page.say("Figure 1: Layers of what was built here.", page.left, page.y, paper.font, 9)
    page.y += 20


def wrapped(paper: Typesetter) -> None:
    """Text beside a picture."""
    page = paper.page
    if page.y > 500:
        page.page()
    top, half = page.y, page.width / 2
    paper.fill(paper.prose(90), page.left, half - 12)
    for row in range(4):
        page.say(f"Step {row}", page.left + half + 20, top + 20 + 15 * row, "Helvetica", 7)
    page.say("Figure 2: Steps of it.", page.left + half + 8, top + 96, paper.font, 9)


def sideways(paper: Typesetter) -> None:
    """A page with a paragraph that is set sideways."""
    page = paper.page
    page.page()
    page.canvas.saveState()
    page.canvas.rotate(90)
    words = paper.prose(110)
    for row in range(0, len(words), 10):
        page.canvas.setFont(paper.font, page.size)
        page.canvas.drawString(340, -420 - page.leading * row / 10, " ".join(words[row : row + 10]))
    page.canvas.restoreState()
    paper.paragraph(150)
    page.page()


def in_picture(paper: Typesetter) -> None:
    """Lines of text, each narrower than the column, that a caption follows."""
    page = paper.page
    page.page()
    paper.fill(paper.prose(180), page.left + 60, 0.45 * page.width)
    page.y += 16
    page.say("Figure 3: Answers as they were given.", page.left, page.y, paper.font, 9)
    page.y += 24


def scanned(paper: Typesetter) -> None:
    """A page that is a picture of text."""
    page = paper.page
    page.page()
    image = ImageReader(Image.new("L", (40, 60), 220))
    page.canvas.drawImage(image, 60, 60, 490, HEIGHT - 120)
    paper.words += ["unseen"] * 400
    page.page()


def garbled(paper: Typesetter) -> None:
    """A paragraph in a font whose characters are not the letters that it shows."""
    words = paper.prose(250)
    wrong = [
        "".join(chr((ord(c) - 97 + 7) % 26 + 97) if c.isalpha() else c for c in w) for w in words
    ]
    font, paper.font = paper.font, "Courier"
    paper.fill(wrong, paper.page.left, paper.page.width)
    paper.font = font


def boxed(paper: Typesetter) -> None:
    """A box of smaller print beside a picture with a caption below both."""
    page = paper.page
    page.page()
    top, half, size = page.y, page.width / 2, page.size
    for row in range(9):
        page.say(f"Stage {row}", page.left + half + 30, top + 20 + 15 * row, "Helvetica", 7)
    page.size = size - 1
    paper.fill(paper.prose(170), page.left, half - 10)
    page.size = size
    page.y += 18
    page.say("Figure 4: Stages and what they are for.", page.left, page.y, paper.font, 9)
    page.y += 24


def askew(paper: Typesetter) -> None:
    """A paragraph that leans."""
    page = paper.page
    page.page()
    page.canvas.saveState()
    page.canvas.rotate(14)
    words = paper.prose(150)
    for row in range(0, len(words), 10):
        page.canvas.setFont(paper.font, page.size)
        text = " ".join(words[row : row + 10])
        page.canvas.drawString(250, 420 - page.leading * row / 10, text)
    page.canvas.restoreState()
    page.page()


def in_form(paper: Typesetter) -> None:
    """Paragraphs inside a form, which the page draws."""
    page = paper.page
    page.page()
    page.canvas.beginForm("inner")
    y, words = 600.0, paper.prose(200)
    for row in range(0, len(words), 10):
        page.canvas.setFont(paper.font, page.size)
        page.canvas.drawString(page.left, y, " ".join(words[row : row + 10]))
        y -= page.leading
    page.canvas.endForm()
    page.canvas.doForm("inner")
    page.page()


def outlined(paper: Typesetter) -> None:
    """A page whose letters are drawn as curves."""
    page = paper.page
    page.page()
    for row in range(40):
        for column in range(70):
            x, y = page.left + 5.5 * column, 720 - 15 * row
            page.canvas.bezier(x, y, x + 1, y + 8, x + 3, y - 3, x + 4, y + 5)
    paper.words += ["unseen"] * 400
    page.page()


def like_feet(paper: Typesetter) -> None:
    """Paragraphs in small print at the foot of three pages, which open with a number."""
    page = paper.page
    for number in range(3):
        page.page()
        paper.paragraph(60)
        page.y = 590
        size = page.size
        page.size = size - 1.5
        words = paper.prose(80)
        paper.fill([str(3 * number + 2), *words], page.left, page.width)
        page.size = size


def early(paper: Typesetter) -> None:
    """Nothing here: the text before the first heading is planted by the paper itself."""


SOUND: dict[str, Plant] = {"plain": nothing, "figure": figure, "wrapped": wrapped}
PLANTED: dict[str, Plant] = {
    "sideways": sideways,
    "in_picture": in_picture,
    "scanned": scanned,
    "garbled": garbled,
    "boxed": boxed,
    "askew": askew,
    "in_form": in_form,
    "outlined": outlined,
    "like_feet": like_feet,
    "early": early,
}


def make(path: Path, plant: str, sound: str, face: str, frame: str) -> list[str]:
    """Typeset a paper; gives back the words of its running text."""
    seed = int(hashlib.sha256(path.stem.encode()).hexdigest()[:8], 16)
    paper = Typesetter(path, face, frame, seed)
    page = paper.page
    page.centred("A Study of Words That Are Kept", BOLD, 16)
    page.centred("Ada Brandt and Ben Okafor", paper.font, 11, 22)
    page.centred("Abstract", BOLD, page.size + 1, 28)
    paper.paragraph(70)
    if plant == "early":
        page.heading("Keywords: words, papers", BOLD, page.size)
        page.page()
        for _ in range(3):
            paper.paragraph(90)
    for heading in HEADINGS:
        paper.heading(heading)
        paper.paragraph(110)
        if heading == HEADINGS[1]:
            SOUND[sound](paper)
        if heading == HEADINGS[2] and plant in PLANTED:
            PLANTED[plant](paper)
        paper.paragraph(110)
    paper.heading("References")
    for number in range(1, 7):
        paper.line(
            f"[{number}] A. Brandt. A work of number {number}. Harbour Press, {2000 + number}.",
            page.left,
        )
    page.save()
    return paper.words


def lost_share(document: Document, words: list[str]) -> float:
    """The share of the words that what was read does not hold."""
    text = " ".join([document.abstract or "", *(section.text for section in document.sections)])
    wanted = Counter(words)
    return (wanted - Counter(text.split())).total() / wanted.total()


def plant_in(path: Path, plant: str, target: Path) -> None:
    """A paper with its second page turned, leaning or a mere picture."""
    from pypdf import PdfReader, PdfWriter, Transformation

    writer = PdfWriter(PdfReader(path))
    page = writer.pages[1]
    width, height = float(page.mediabox.width), float(page.mediabox.height)
    if plant == "scanned":
        blank = target.with_suffix(".page.pdf")
        canvas = Canvas(str(blank), pagesize=(width, height))
        canvas.drawImage(
            ImageReader(Image.new("L", (40, 60), 220)), 40, 40, width - 80, height - 80
        )
        canvas.save()
        writer.insert_page(PdfReader(blank).pages[0], 1)
        writer.remove_page(2)
    else:
        turn = Transformation().translate(-width / 2, -height / 2).rotate(TURNS[plant])
        page.add_transformation(turn.translate(width / 2, height / 2))
    writer.write(target)


def try_real(folder: Path, half: str) -> None:
    """Print how many real papers are in doubt as they are, and with a page planted."""
    rows = map(json.loads, (folder / "truth.jsonl").read_text("utf-8").splitlines())
    files = [folder / row["file"] for row in rows if is_in_half(row, half)]
    counts: Counter[tuple[str, bool]] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        for path in files:
            document = read_file(path)
            counts["as it is", _is_lossy(document)] += 1
            size = sum(len(section.text) for section in document.sections)
            for plant in ("scanned", *TURNS):
                target = Path(scratch) / path.name
                plant_in(path, plant, target)
                planted = read_file(target)
                left = sum(len(section.text) for section in planted.sections)
                if left < (1 - LOST) * size:
                    counts[plant, _is_lossy(planted)] += 1
    for plant in ("as it is", "scanned", *TURNS):
        doubted = counts[plant, True]
        print(f"{plant:12} {doubted + counts[plant, False]:3}, of them in doubt {doubted:3}")


def _is_lossy(document: Document) -> bool:
    return any("reach no part" in reason for reason in document.health_reasons)


def main() -> int:
    """Print the counts by what was planted, and those of papers that lose words or do not."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--half", choices=["dev", "test"], default="dev")
    parser.add_argument("--real", type=Path, help="a folder that benchmarks.pdf.real wrote")
    options = parser.parse_args()
    if options.real is not None:
        try_real(options.real, options.half)
        return 0
    counts: Counter[tuple[str, bool, bool]] = Counter()
    kinds = itertools.product(["none", *PLANTED], SOUND, FACES, FRAMES, range(4))
    with tempfile.TemporaryDirectory() as folder:
        for plant, sound, face, frame, number in kinds:
            name = f"{plant}-{sound}-{face}-{frame}-{number}"
            if (hashlib.sha256(name.encode()).digest()[0] % 2 == 1) != (options.half == "test"):
                continue
            path = Path(folder) / f"{name}.pdf"
            words = make(path, plant, sound, face, frame)
            document = read_file(path)
            is_lost = lost_share(document, words) > LOST
            counts[plant, is_lost, document.health != "good"] += 1
    for plant in ("none", *PLANTED):
        own = {key[1:]: n for key, n in counts.items() if key[0] == plant}
        lost = own.get((True, True), 0) + own.get((True, False), 0)
        whole = own.get((False, True), 0) + own.get((False, False), 0)
        print(
            f"{plant:12} lost {lost:3}, of them in doubt {own.get((True, True), 0):3};"
            f" whole {whole:3}, of them in doubt {own.get((False, True), 0):3}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
