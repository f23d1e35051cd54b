"""What PDFs print beside a paper, and headings and names that Word and publishers set."""

from pathlib import Path

from tests.sources.pdf_pages import BOLD, FILLER, TEXT, Paper

from vivavoce.sources.fulltext.pdf.document import read_file


def test_a_cover_sheet_in_fonts_of_its_own_is_no_part_of_a_paper(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    for line in ("University of the Coast", "A Study of Small Papers", "Document Version"):
        paper.centred(line, "Helvetica", 18)
    paper.page()
    paper.front()
    paper.sections("1 Introduction", "2 Method")
    for heading in ("3 Results", "4 Conclusion"):
        paper.page()
        paper.sections(heading)
    document = read_file(paper.save())
    assert document.title == "A Study of Small Papers"
    assert [author.name for author in document.authors] == ["Ada Brandt"]
    assert "title" not in document.doubts


def test_notes_beside_a_first_page_are_kept_out_of_its_text(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf", left=180, width=340)
    paper.front()
    top = paper.y - 60
    for step, note in enumerate(
        ("Citation:", "Brandt, A.", "Small Papers.", "Received:", "Edited by")
    ):
        paper.say(note, 60, top + 12 * step, TEXT, 7)
    paper.sections("1 Introduction", "2 Method", "3 Conclusion")
    document = read_file(paper.save())
    assert document.abstract == f"We study papers that are small. {FILLER}"


def test_letters_set_apart_make_words(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    for heading in ("INTRODUCTION", "CONCLUSION"):
        paper.y += 30
        for place, letter in enumerate(heading):
            paper.say(letter, paper.left + 13 * place, paper.y, BOLD, 12)
        paper.y += 8
        paper.paragraph(FILLER)
    paper.sections("METHODS")
    document = read_file(paper.save())
    assert [section.heading for section in document.sections] == [
        "INTRODUCTION",
        "CONCLUSION",
        "METHODS",
    ]


def test_an_abstract_may_have_headings_of_its_own(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.centred("A Study of Small Papers")
    paper.centred("Ada Brandt", TEXT, 11)
    paper.centred("Abstract", BOLD, 14, 30)
    for part in ("Aim", "Findings"):
        paper.heading(part, size=11, gap=24)
        paper.paragraph(f"The {part.lower()} of this paper. {FILLER}")
    paper.sections("1 Introduction", "2 Method", "3 Conclusion")
    abstract = read_file(paper.save()).abstract or ""
    assert abstract.startswith("Aim The aim of this paper.")
    assert "Findings" in abstract
    assert abstract.endswith(FILLER)


def test_bold_lines_without_space_above_are_headings_after_a_sentence(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    for heading in ("Introduction:", "Aims:", "Findings:"):
        paper.heading(heading, size=10, gap=12, after=0)
        paper.paragraph(FILLER)
    headings = [section.heading for section in read_file(paper.save()).sections]
    assert headings == ["Introduction", "Aims", "Findings"]


def test_numbers_that_start_again_below_a_section_are_its_parts(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.front()
    paper.sections("I. INTRODUCTION")
    paper.heading("II. PARTS")
    for heading in ("1. Wheels", "2. Motors"):
        paper.heading(heading, size=10)
        paper.paragraph(FILLER)
    paper.sections("III. CONCLUSION")
    sections = read_file(paper.save()).sections
    assert [(section.level, section.number, section.heading) for section in sections] == [
        (1, "I", "INTRODUCTION"),
        (1, "II", "PARTS"),
        (2, "1", "Wheels"),
        (2, "2", "Motors"),
        (1, "III", "CONCLUSION"),
    ]


def test_a_list_of_authors_may_go_on_in_another_size_and_with_titles(tmp_path: Path) -> None:
    paper = Paper(tmp_path / "a.pdf")
    paper.centred("A Study of Small Papers")
    paper.y += 20
    end = paper.say("Ada Brandt", paper.left, paper.y, TEXT, 11)
    paper.say(", Prof. Carl Dorn, Dr. Eva Fox", end, paper.y, TEXT, 13)
    paper.abstract()
    paper.sections("1 Introduction", "2 Method", "3 Conclusion")
    authors = [author.name for author in read_file(paper.save()).authors]
    assert authors == ["Ada Brandt", "Carl Dorn", "Eva Fox"]
