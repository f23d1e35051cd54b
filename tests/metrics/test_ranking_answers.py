"""What answers hold beside titles, counted in answers typed by hand."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.metrics.titles_list import FAULTS, count_faults, find_titles

GOLD = ["Trees of Ash, Elm, and Oak", "Sparse Attention", "Sparse Attention with Memory"]
LIST = "\n".join(f"{number}. {title}" for number, title in enumerate(GOLD, 1))


def faults(text: str, gold: list[str] = GOLD) -> dict[str, float]:
    counts = count_faults(text, gold, find_titles(text, gold))
    return {name: value for name, value in counts.items() if value}


def test_a_list_of_the_titles_has_no_fault() -> None:
    assert faults(LIST) == {}
    assert faults("\n".join(GOLD)) == {}
    assert faults(f"```\n{LIST}\n```") == {}
    assert faults("\n".join(f'- **"{title}"**' for title in GOLD)) == {}


def test_talk_around_a_list_is_counted_by_line() -> None:
    text = f"Sure! Here is the ranking:\n\n{LIST}\n\nI hope this helps.\nLet me know."
    assert faults(text) == {"chatter": 3}
    assert faults(f"## Ranking\n{LIST}\n**Please note that I guessed.**") == {"chatter": 2}


def test_a_line_that_speaks_of_a_title_is_no_chatter() -> None:
    assert faults(f"{LIST}\nSparse Attention comes second as it is older.") == {}


def test_invented_repeated_and_missing_titles() -> None:
    text = "1. Sparse Attention\n2. A Paper I Made Up\n3. Sparse Attention\n4. Another One"
    assert faults(text) == {"invented": 2, "repeated": 1, "missing": 2}


def test_tags_are_counted() -> None:
    items = "".join(f"<li>{title}</li>" for title in GOLD)
    assert faults(f"<ol>{items}</ol><br/>") == {"markup": 9}


def test_prose_without_a_title_lacks_them_all() -> None:
    assert faults("We study a problem and report what we find.") == {"chatter": 1, "missing": 3}
    assert faults("") == {"missing": 3}


@settings(deadline=None)
@given(st.text(max_size=300))
def test_counts_of_any_text_are_whole_and_not_negative(text: str) -> None:
    counts = count_faults(text, GOLD, find_titles(text, GOLD))
    assert all(value >= 0 and value == int(value) for value in counts.values())
    assert counts.keys() == set(FAULTS)
