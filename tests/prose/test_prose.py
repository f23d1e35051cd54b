"""The checker of prose: the faults it finds, and the plain sentences it leaves alone."""

from __future__ import annotations

from pathlib import Path

from tests.prose.__main__ import findings
from tests.prose.reading import ROOT, Passage, docstrings, paragraphs, sentences

PAGE = ROOT / "docs" / "page.md"


def kinds(text: str, *, docstring: bool = False) -> list[str]:
    """The kinds of faults in one passage."""
    return [kind for kind, _ in findings([Passage(PAGE, 1, text, docstring)])]


def test_a_sentence_may_have_35_words() -> None:
    assert kinds(" ".join(["word"] * 35) + ".") == []
    assert kinds(" ".join(["word"] * 36) + ".") == ["length"]
    assert kinds(" ".join(["word"] * 20) + ". 20 more follow " + " ".join(["word"] * 20)) == []


def test_a_docstring_begins_with_what_it_names() -> None:
    assert kinds("Whether it is open.", docstring=True) == ["opening"]
    assert kinds("True if it is open.", docstring=True) == []
    assert kinds("Whether it is open decides.") == []


def test_a_turn_is_found_and_a_dash_may_stand_for_something() -> None:
    assert kinds("The date stands beside the name.") == ["turn"]
    assert kinds("The index is built anew, and blank lines are passed over.") == ["turn", "turn"]
    assert kinds("A dash stands for an absent value.") == []


def test_code_tables_and_generated_blocks_are_no_prose() -> None:
    text = """
A paragraph with `anew stands in` code
on two lines.

```text
built anew
```

| a | stands in |

<!-- begin list -->
built anew
<!-- end list -->
- An item.
"""
    found = list(paragraphs(PAGE, text))
    assert [(each.line, each.text) for each in found] == [
        (2, "A paragraph with code code on two lines."),
        (14, "An item."),
    ]
    assert list(findings(found)) == []


def test_every_argument_of_a_docstring_is_a_passage() -> None:
    source = '''"""A module."""

def read(path):
    """Read it.

    Args:
        path: Where it is,
            on two lines.
        more: The rest.

    Raises:
        InputError: It is gone.
    """
'''
    found = list(docstrings(PAGE, source))
    assert [(each.line, each.text, each.docstring) for each in found] == [
        (1, "A module.", True),
        (4, "Read it.", True),
        (7, "path: Where it is, on two lines.", False),
        (9, "more: The rest.", False),
        (12, "InputError: It is gone.", False),
    ]


def test_the_help_of_an_option_is_prose() -> None:
    found = list(docstrings(Path(PAGE), 'Option(None, help="Drop `it` " "and build it anew.")\n'))
    assert [each.text for each in found] == ["Drop code and build it anew."]


def test_sentences_end_at_full_stops_before_capitals_numbers_and_code() -> None:
    assert sentences("One. 2 more. code too. not here") == ["One.", "2 more.", "code too. not here"]
