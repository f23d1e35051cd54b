"""Hand-made PDF pages for the tests of the pdf source: text set line by line, as printers do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reportlab.lib.pagesizes import letter
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = letter
TEXT, BOLD, ITALIC = "Times-Roman", "Times-Bold", "Times-Italic"
FILLER = (
    "The corpus holds many sentences that say little and stand in for the words of a paper while "
    "every line is as long as the column allows and the next one follows close below it so that "
    "a reader takes them for running text and for nothing else at all in this small world."
)


@dataclass
class Paper:
    """A PDF under construction; y counts from the top of the page."""

    path: Path
    left: float = 108.0
    width: float = 396.0
    size: float = 10.0
    leading: float = 12.0
    y: float = 80.0
    canvas: Canvas = field(init=False)

    def __post_init__(self) -> None:
        self.canvas = Canvas(str(self.path), pagesize=letter, invariant=1)

    def say(self, text: str, x: float, y: float, font: str = TEXT, size: float = 10.0) -> float:
        """Set text on a baseline; gives back where it ends."""
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, HEIGHT - y, text)
        return x + stringWidth(text, font, size)

    def centred(self, text: str, font: str = BOLD, size: float = 17.0, gap: float = 20.0) -> None:
        self.y += gap
        x = self.left + (self.width - stringWidth(text, font, size)) / 2
        self.say(text, x, self.y, font, size)

    def heading(
        self, text: str, font: str = BOLD, size: float = 12.0, gap: float = 24.0, after: float = 8.0
    ) -> None:
        self.y += gap
        self.say(text, self.left, self.y, font, size)
        self.y += after

    def paragraph(self, text: str, size: float | None = None, indent: float = 0.0) -> None:
        """Words filled into lines of the column, flush left."""
        size = size or self.size
        line: list[str] = []
        start = indent
        for word in text.split():
            candidate = " ".join([*line, word])
            if line and start + stringWidth(candidate, TEXT, size) > self.width:
                self._line(" ".join(line), start, size)
                line, start = [], 0.0
            line.append(word)
        self._line(" ".join(line), start, size)

    def _line(self, text: str, indent: float, size: float) -> None:
        self.y += self.leading * size / self.size
        self.say(text, self.left + indent, self.y, TEXT, size)

    def lines(self, *texts: str, size: float | None = None) -> None:
        """Lines as they are given."""
        for text in texts:
            self._line(text, 0.0, size or self.size)

    def abstract(self, text: str = f"We study papers that are small. {FILLER}") -> None:
        """An abstract under its heading."""
        self.centred("Abstract", BOLD, 12, 30)
        self.paragraph(text)

    def front(self, title: str = "A Study of Small Papers", **abstract: str) -> None:
        """A title, one author and an abstract."""
        self.centred(title)
        self.centred("Ada Brandt", TEXT, 11)
        self.abstract(**abstract)

    def sections(self, *headings: str) -> None:
        """A section of one paragraph under each heading."""
        for heading in headings:
            self.heading(heading)
            self.paragraph(FILLER)

    def references(self) -> None:
        """A list of one reference."""
        self.heading("References")
        self.lines("[1] A. Author. 2019. The first of all works. In Proceedings.")

    def page(self, y: float = 80.0) -> None:
        self.canvas.showPage()
        self.y = y

    def save(self) -> Path:
        self.canvas.save()
        return self.path


def simple_paper(path: Path, headings: list[str], body: str = FILLER) -> Path:
    """One column, a title, an abstract and these sections."""
    paper = Paper(path)
    paper.centred("A Study of Small Papers")
    paper.centred("Author 001", TEXT, 10)
    paper.abstract("We study papers that are small. " + body)
    for heading in headings:
        if paper.y > 600:
            paper.page()
        paper.heading(heading)
        paper.paragraph(f"Words of {heading}. " + body)
    return paper.save()


def paper_with_table(path: Path, rows: Sequence[tuple[str, str]], caption: str) -> Paper:
    """A paper of three sections with a table of two columns in the second, and two references."""
    paper = Paper(path)
    paper.centred("A Paper With One Table")
    for name in ("1 Introduction", "2 Results", "3 Conclusion"):
        paper.heading(name)
        paper.paragraph(FILLER)
        if name == "2 Results":
            paper.y += 12
            for row in rows:
                paper.y += 12
                paper.say(row[0], 200, paper.y)
                paper.say(row[1], 320, paper.y)
            paper.y += 18
            paper.say(caption, 200, paper.y)
            paper.y += 18
            paper.paragraph(FILLER)
    paper.heading("References")
    paper.lines("[1] A. Author. 2019. The first of all works. In Proceedings.")
    paper.lines("[2] B. Author. 2020. The second of all works. In Proceedings.")
    return paper
