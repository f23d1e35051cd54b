"""Layouts of journals and proceedings that mislead a reader of lines, such as balanced columns."""

from __future__ import annotations

from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from tests.sources.pdf_pages import BOLD, FILLER, ITALIC, TEXT, Paper

from vivavoce.sources.fulltext.pdf.document import read_file

WORDS = FILLER.split()


def column(page: Paper, x: float, y: float, lines: int, size: float = 10.0) -> float:
    """Full lines of running text in a narrow column; gives back the last baseline."""
    for number in range(lines):
        first = 7 * number % (len(WORDS) - 9)
        page.say(" ".join(WORDS[first : first + 9]), x, y + 1.2 * size * number, TEXT, size)
    return y + 1.2 * size * (lines - 1)


def opened(path: Path, title: str = "A Study of Small Papers") -> Paper:
    page = Paper(path)
    page.centred(title)
    page.centred("Ada Brandt", TEXT, 11)
    page.centred("Abstract", BOLD, 12, 30)
    page.paragraph("We study papers that are small. " + FILLER)
    return page


def sections(page: Paper, *headings: str) -> None:
    for heading in headings:
        page.heading(heading)
        page.paragraph(FILLER)


def labelled(page: Paper, heading: str) -> None:
    """A centred heading with its label in smaller print, and a paragraph."""
    label, words = heading.split(" ", 1)
    width = stringWidth(label, "Courier", 9) + 4 + stringWidth(words, TEXT, 10)
    x = page.left + (page.width - width) / 2
    page.say(words, page.say(label, x, page.y, "Courier", 9) + 4, page.y, TEXT, 10)
    page.y += 6
    page.paragraph(FILLER)


def test_references_balanced_below_two_columns_keep_their_order(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    for number, heading in enumerate(("1 Introduction", "2 Method", "3 Conclusion")):
        if number:
            page.canvas.showPage()
        for x in (54.0, 318.0):
            if x == 54.0:
                page.say(heading, x, 150, BOLD, 12)
            column(page, x, 170, 18)
    page.say("References", 54, 430, BOLD, 12)
    page.say("Acknowledgements", 318, 150, BOLD, 12)
    for place in range(12):
        x, y = (54, 450) if place < 6 else (318, 440)
        text = f"[{place + 1}] A. Brandt. A work of number {place + 1}. {2001 + place}."
        page.say(text, x, y + 10 * (place % 6), TEXT, 8)
    document = read_file(page.save())
    assert [r.raw.split("]")[0] for r in document.references] == [f"[{n}" for n in range(1, 13)]


def test_a_list_of_keys_without_a_heading_is_the_list_of_references(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
    page.y += 12
    for key in ("AKV13", "BC11", "BJJ11", "MS15a", "Ste13"):
        page.lines(f"[{key}] A. Brandt and B. Okafor. A work on the tides. Journal of Tides, 2011.")
    found = read_file(page.save()).references
    assert [reference.raw[:4] for reference in found] == ["[AKV", "[BC1", "[BJJ", "[MS1", "[Ste"]


def test_an_appendix_whose_letter_is_smaller_than_its_title_is_numbered(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    for heading in ("1. INTRODUCTION", "2. METHOD", "3. CONCLUSION"):
        page.y += 24
        labelled(page, heading)
    page.centred("APPENDIX", TEXT, 10)
    for heading in ("A. LONG DERIVATIONS", "B. MORE TABLES OF TIDES"):
        page.y += 30
        labelled(page, heading)
    tops = [(s.number, s.heading) for s in read_file(page.save()).sections if s.level == 1]
    assert tops[-2:] == [("A", "LONG DERIVATIONS"), ("B", "MORE TABLES OF TIDES")]


def test_an_entry_at_the_top_of_a_page_is_no_running_head(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
    page.heading("References")
    for number in range(1, 9):
        if number == 5:
            page.page(60)
        page.lines(
            f"[{number}] A. Brandt, A work on tides, Journal of Tides, 9, {2000 + number}", size=9
        )
        page.lines("          doi: 10.1000/tides.9", size=9)
    found = read_file(page.save()).references
    assert [reference.year for reference in found] == list(range(2001, 2009))


def test_a_line_that_starts_with_algorithms_is_no_caption(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
    page.heading("References")
    for number in range(1, 7):
        page.lines(f"[{number}] A. Brandt. {2000 + number}. A Study of Evolutionary", size=9)
        page.y += 10.8
        page.say(
            "Algorithms. Transactions on Tides and Systems.", page.left + 14, page.y, ITALIC, 9
        )
    found = read_file(page.save()).references
    assert len(found) == 6
    assert all("Evolutionary Algorithms. Transactions" in reference.raw for reference in found)


def test_numbers_beside_every_fifth_line_are_no_text(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    line = 0
    for heading in ("1 Introduction", "2 Method", "3 Conclusion", "References"):
        page.heading(heading)
        for number in range(1, 7):
            is_list = heading == "References"
            text = f"[{number}] A. Brandt, On tides, Tides, 2001." if is_list else FILLER[:90]
            page.lines(text)
            line += 1
            if line % 5 == 0:
                page.say(str(line), page.left - 24, page.y, TEXT, 10)
    document = read_file(page.save())
    assert [reference.raw[:3] for reference in document.references] == [
        f"[{number}]" for number in range(1, 7)
    ]
    assert not any(" 5 " in f" {section.text} " for section in document.sections)


def test_a_title_may_begin_with_a_word_of_banners(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf", "Research Notes on Small Papers")
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
    assert read_file(page.save()).title == "Research Notes on Small Papers"


def test_months_and_streets_tell_names_from_places(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    page.centred("August Brandt and Bo Lindqvist", TEXT, 11)
    page.centred("Institute for Tides of the Harbour and the Sea", TEXT, 11, 24)
    page.centred("Via la Santa 1, CH-6962 Lugano", TEXT, 11, 14)
    page.centred("Abstract", BOLD, 12, 30)
    page.paragraph("We study papers that are small. " + FILLER)
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
    names = [author.name for author in read_file(page.save()).authors]
    assert names == ["August Brandt", "Bo Lindqvist"]


def test_places_in_a_row_below_names_in_columns_are_no_authors(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    rows = (("Ada Brandt", "Bo Lindqvist"), ("Harbour Tech", "Tides Labs"))
    for number, row in enumerate(rows):
        for x, text in zip((120.0, 390.0), row, strict=True):
            page.say(text, x, 140 + 13 * number, TEXT, 12)
    page.say("Abstract", 54, 190, BOLD, 12)
    column(page, 54, 206, 8)
    page.say("1 Introduction", 54, 330, BOLD, 12)
    column(page, 54, 350, 20)
    column(page, 318, 190, 14)
    page.say("2 Method", 318, 400, BOLD, 12)
    column(page, 318, 420, 14)
    assert [a.name for a in read_file(page.save()).authors] == ["Ada Brandt", "Bo Lindqvist"]


def run_in(page: Paper, heading: str, text: str) -> None:
    """A bold heading, indented, behind which its paragraph goes on."""
    x = page.say(heading, page.left + 12, page.y, BOLD, 10) + 6
    page.say(text, x, page.y, TEXT, 10)
    page.y += 12
    page.paragraph(FILLER)


def test_numbered_headings_that_open_their_paragraphs_are_sections(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    wanted = ["Introduction", "Greedy selection of tides", "Extensions to rivers", "Conclusion"]
    for number, heading in enumerate(wanted, start=1):
        run_in(page, f"{number}. {heading}.", "In tides of small rivers")
    run_in(page, "A. Proofs of the bounds.", "We prove them")
    tops = [(s.number, s.heading) for s in read_file(page.save()).sections if s.level == 1]
    assert tops == [*((str(n), h) for n, h in enumerate(wanted, 1)), ("A", "Proofs of the bounds")]


def test_references_in_two_columns_below_a_text_in_one_are_read_by_columns(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    for heading in ("1 Introduction", "2 Method", "3 Conclusion"):
        page.heading(heading)
        for _ in range(4):
            page.paragraph(FILLER)
    page.canvas.showPage()
    page.say("References", 54, 100, BOLD, 12)
    names = ("Adeyemi", "Brandt", "Castro", "Dalgaard", "Eriksen", "Fofana", "Garcia", "Hansen")
    for place, name in enumerate((*names, *(f"{name}sen" for name in names))):
        x, y = (54 if place < 8 else 318), 124 + 24 * (place % 8)
        page.say(f"{name}, A., and Okafor, B. {2001 + place}. A work of tides", x, y, TEXT, 10)
        page.say("and of rivers. Journal of Rivers and Tides, 12.", x + 12, y + 12, TEXT, 10)
    found = [reference.raw.split(",")[0] for reference in read_file(page.save()).references]
    assert found == [*names, *(f"{name}sen" for name in names)]


def test_names_of_sections_below_each_other_are_two_headings(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    last = "3. CONCLUSIONS AND DIRECTIONS FOR FUTURE WORK"
    for heading in ("1. INTRODUCTION", "2. METHOD", last):
        page.centred(heading, TEXT, 10, 30)
        page.y += 6
        if not heading.startswith("3"):
            page.paragraph(FILLER)
    page.y -= 6
    page.centred("ACKNOWLEDGMENTS", TEXT, 10, 12)
    page.y += 12
    page.paragraph("We thank the harbour. " + FILLER)
    tops = [s.heading for s in read_file(page.save()).sections if s.level == 1]
    assert tops == ["INTRODUCTION", "METHOD", last[3:], "ACKNOWLEDGMENTS"]


def test_a_list_in_two_columns_begins_low_on_a_page_and_ends_high_on_another(
    tmp_path: Path,
) -> None:
    page = opened(tmp_path / "a.pdf")
    for heading in ("1 Introduction", "2 Data", "3 Method"):
        page.heading(heading)
        for _ in range(10):
            page.paragraph(FILLER)
        page.page()
    sections(page, "4 Results", "5 Limits", "6 Discussion", "7 Conclusion")
    page.centred("References", BOLD, 12, 30)
    entries = [
        (
            f"{name}, A. 2001, {noun} of small papers by the sea",
            f"and of {noun} near {name}, 10, {number}",
        )
        for number, (name, noun) in enumerate(
            (name, noun)
            for noun in ("Tides", "Ports", "Sands", "Gulls")
            for name in ("Ames", "Bell", "Cole", "Dunn", "Earl", "Ford", "Gray", "Hart")
        )
    ]
    place = 0
    for top, rows in ((page.y + 20, 2), (80.0, 11), (80.0, 3)):
        for x in (108.0, 312.0):
            for row in range(rows):
                y = top + 26 * row + (3 if x > 200 else 0)
                for line, text in enumerate(entries[place]):
                    page.say(text, x + 9 * line, y + 11 * line, TEXT, 10)
                place += 1
        page.canvas.showPage()
    page.canvas.save()
    found = [reference.raw for reference in read_file(tmp_path / "a.pdf").references]
    assert found == [" ".join(entry) for entry in entries]


def test_raised_numbers_alone_beside_the_text_are_no_numbers_of_lines(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    for number in range(10):
        page.say("\u00b2", 560, 200 + 20 * number, TEXT, 10)
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
    headings = [section.heading for section in read_file(page.save()).sections]
    assert headings == ["Introduction", "Method", "Conclusion"]


def test_columns_may_lie_further_right_on_every_other_page(tmp_path: Path) -> None:
    page = Paper(tmp_path / "a.pdf")
    page.centred("A Study of Small Papers")
    names = ["1 Introduction", "2 Related Work", "3 Data", "4 Method", "5 Results", "6 Conclusion"]
    for number, heading in enumerate(names):
        shift = 60 * (number % 2)
        for x, word in ((54 + shift, "left"), (244 + shift, "right")):
            for row in range(27):
                page.say(" ".join(WORDS[:9]), x, 150 + 9.6 * row, TEXT, 8)
            page.say(f"the {word} column ends", x, 409.2, TEXT, 8)
        page.say(heading, 54 + shift, 132, BOLD, 12)
        page.canvas.showPage()
    page.canvas.save()
    found = read_file(tmp_path / "a.pdf")
    assert [f"{s.number} {s.heading}" for s in found.sections] == names
    ends = [s.text.index("left column ends") / len(s.text) for s in found.sections]
    assert all(0.4 < end < 0.6 for end in ends), "the left column is read before the right one"


def test_numbers_of_lines_are_known_by_their_place_on_other_pages(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    for heading in ("1 Introduction", "2 Method", "3 Conclusion"):
        page.heading(heading)
        for line in range(1, 13):
            page.lines(FILLER[:90])
            page.say(str(line), 80 - stringWidth(str(line), TEXT, 10), page.y)
    page.page()
    page.heading("References")
    for number in range(3):
        page.lines(f"Brandt, A. ({2001 + number}). A work on tides. Tides.")
        page.say(str(5 + number), 80 - stringWidth(str(5 + number), TEXT, 10), page.y)
        page.y += 8
    found = read_file(page.save()).references
    assert [reference.raw[:16] for reference in found] == [
        "Brandt, A. (2001",
        "Brandt, A. (2002",
        "Brandt, A. (2003",
    ]


def test_parts_with_letters_of_the_last_section_are_no_appendices(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    for heading in ("I. INTRODUCTION", "II. METHOD", "III. CONCLUSION"):
        page.centred(heading, TEXT, 10, 24)
        page.y += 8
        page.paragraph(FILLER)
        for part in ("A. Tides of the North", "B. Tides of the South"):
            page.heading(part, ITALIC, 10)
            page.paragraph(FILLER)
    levels = [section.level for section in read_file(page.save()).sections]
    assert levels == [1, 2, 2] * 3


def test_a_numbered_heading_at_the_top_of_a_page_is_no_running_head(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    for number, heading in enumerate(("1 Introduction", "2 Method", "3 Tides", "4 Conclusion")):
        if number == 2:
            page.page(50)
        page.heading(heading, size=10)
        page.paragraph(FILLER)
    headings = [section.heading for section in read_file(page.save()).sections]
    assert headings == ["Introduction", "Method", "Tides", "Conclusion"]


def test_entries_of_organisations_are_apart_from_those_before(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
    page.heading("References")
    names = ("Ada Brandt et al.", "Anthem.", "Ben Okafor and Ada Brandt.", "Tide.")
    for year in (2011, 2012):
        for name in names:
            page.lines(f"{name} A work on the tides of the north and of the south and of all that")
            page.say(f"they bring. Journal of Tides, {year}.", page.left + 12, page.y + 12)
            page.y += 20
    found = read_file(page.save()).references
    assert [r.raw.partition(".")[0] for r in found][:4] == [n.partition(".")[0] for n in names]
    assert len(found) == 8


def test_an_author_named_again_by_a_drawn_line_opens_an_entry(tmp_path: Path) -> None:
    page = opened(tmp_path / "a.pdf")
    sections(page, "1 Introduction", "2 Method", "3 Conclusion")
    page.heading("References")
    for number in range(1, 7):
        page.lines(f"{number}. {'A. Brandt' if number % 2 else ' '}, A work on tides, Tides, 2001.")
    assert len(read_file(page.save()).references) == 6
