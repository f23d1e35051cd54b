"""Every reader of text from outside, on long text that is made to send its patterns back and forth.

The text is so long that a step for each pair of characters takes longer than the time limit.
"""

from collections.abc import Callable

import pytest
from inspect_ai.model import ModelOutput

from vivavoce.metrics.citation_list import find_citations
from vivavoce.metrics.leaderboards import read_board
from vivavoce.metrics.tables.cell_matching import cell_key
from vivavoce.metrics.titles_list import count_faults, find_titles
from vivavoce.readers.cell_results import method_name, name_quality
from vivavoce.readers.terms import terms_in
from vivavoce.tasks.scoring.guard import find_fault
from vivavoce.text.answers import clean_title
from vivavoce.text.citation_markers import find_author_year_markers, find_numeric_markers
from vivavoce.text.identifiers import find_acl_id, find_arxiv_id, find_doi
from vivavoce.text.json_answer import find_json
from vivavoce.text.normalise import clean_text, normalise_title
from vivavoce.text.sentences import split_sentences
from vivavoce.text.table_parsing import parse_tables

SIZES = 1_900, 50_000
"""The first is below the length from which an answer is not taken for a refusal."""
TITLES = [f"A paper of number {number} and more" for number in range(50)]
READERS: dict[str, Callable[[str], object]] = {
    "tables": parse_tables,
    "board": read_board,
    "titles": lambda text: count_faults(text, TITLES, find_titles(text, TITLES)),
    "JSON": find_json,
    "JSON string": lambda text: find_json('{"' + text),
    "mended JSON": lambda text: find_json(text, lambda value: isinstance(value, dict), mend=True),
    "title": clean_title,
    "fault": lambda text: find_fault(ModelOutput.from_content("scripted/model", text)),
    "citations": lambda text: find_citations(text, TITLES),
    "author and year": lambda text: list(find_author_year_markers(text)),
    "numbers in brackets": lambda text: list(find_numeric_markers(text)),
    "identifiers": lambda text: [find_arxiv_id(text), find_acl_id(text), find_doi(text)],
    "sentences": split_sentences,
    "text": clean_text,
    "normalised": normalise_title,
    "cell": cell_key,
    "metrics": terms_in,
    "method": lambda text: name_quality(method_name(text)),
}
UNITS = {
    "signs": [
        *(
            "|",
            "| ",
            "|-",
            "|\t",
            "\n|",
            "[",
            "[ ",
            "{",
            "]",
            '"',
            "['",
            "<",
            "&",
            "`",
            "\\",
            "*",
            "_",
        ),
        *("(", ")", "-", " - ", "#", "# ", "1", ".", ". ", ",", ",]", ": ", "：", " ", "\n", "\n "),
    ],
    "words": [
        *(
            '{"a":',
            '{"rows": [',
            "[{},",
            "<a",
            "<td>",
            "</think>",
            "&amp;",
            "```\n",
            '"\\',
            "\\title{",
        ),
        *("# a\n", "1. ", "x\n", "> ", "a", "a.", "a ", "\u0301", "\ud800", "´", "👩‍👩‍👧", "模"),
        *("Title: ", "Sure, ", "here is ", "title is ", "a of:\n", "The very title ", "(9 words) "),
        *("I'm sorry ", "as an ai ", "error code: ", "mean ", "error rate ", " and ", "10^"),
    ],
    "citations": [
        *("[1]", "[1,", "[1-", "[1, 2] x", "A. ", "e.g. ", "2016a,b,", "Aa-", "Aa et al. ", "van "),
        *("Aa & Bb, 2016; ", "10.1234/", "1410.5401", "arxiv.org/abs/", "2020.acl-", "P18-10"),
        *("hep-th/", "# References\n"),
    ],
}


@pytest.mark.timeout(10)
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("name", READERS)
def test_a_reader_takes_time_in_proportion_to_the_length(name: str, units: str) -> None:
    for unit in UNITS[units]:
        for size in SIZES:
            READERS[name](unit * (size // len(unit)))
