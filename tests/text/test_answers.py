"""Titles freed of what models say around them, and titles that must stay as they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text.answers import clean_title

TITLE = "Sparse Graphs: A Survey of What Is Known"


@pytest.mark.parametrize(
    "answer",
    [
        "{}",
        "  {}\n",
        # Lead-ins.
        "Sure, here is the title:\n\n{}",
        "Here are some possible titles:\n\n1. {}\n2. Another Title\n3. A Third One",
        "Based on the main text and abstract, a suitable title would be:\n\n{}",
        "I have read the text. Here is the title.\n{}",
        # Labels.
        "Title: {}",
        "**Title:** {}",
        "Paper Title: {}",
        "Final answer: {}",
        "## Title:\n\n{}",
        # Marks.
        '"{}"',
        "“{}”",
        "'{}'",
        "`{}`",
        '**"{}"**',
        "# {}",
        "> {}",
        "- {}",
        "1. {}",
        # Containers.
        "```\n{}\n```",
        "<title>{}</title>",
        '{"title": "{}"}',
        '```json\n{"title": "{}"}\n```',
        "\\title{{}}",
        # Several lines and remarks.
        "{}\n\nThis title names the main idea of the paper.",
        "{}\n\n(8 words)",
        "{} (8 words)",
        '"{}" - This title captures the main idea.',
        "{} (This title highlights the main finding.)",
        "{}\n{}\n{}",
        # One of several options.
        "1. Nets That Read\n2. {}\n3. On Reading\n\nMy pick: **{}**",
        "Three options:\n- Nets That Read\n- **{}**\n- On Reading\n\nI prefer option 2.",
        "1. Sparse\n2. {}\n\nBest: {}",
        "1. {}\n2. Nets That Read\n\nOption 1 is sober, option 2 is short.",
        # A title over two lines.
        "Sparse Graphs:\nA Survey of What Is Known",
        "**Sparse Graphs: A Survey of\nWhat Is Known**",
    ],
)
def test_what_is_said_around_a_title_goes(answer: str) -> None:
    assert clean_title(answer.replace("{}", TITLE)) == TITLE


@pytest.mark.parametrize(
    "title",
    [
        "Here Be Dragons: Mapping Unknown Regions of Parameter Space",
        "Sure Independence Screening for Ultrahigh Dimensions",
        "Title Generation for News: A Survey",
        "This Title Is Long: Why Names Grow",
        'On "Good" Examples and "Bad" Ones',
        '"Why Should I Trust You?": Explaining Predictions',
        "'Tis the Season: Time Series with Holidays",
        "A* Search: Heuristics and * Products",
        "1.5-Bit Weights",
        "__init__ Considered Harmful",
        "Attention: All You Need? (Yes, 100 Words)",
        "Learning to Rank (and to Let Go) - A Reply",
        "Based on What? Evidence in Arguments",
        "無監督的引文推薦：綜述",
        "{X}-Nets: Sets in Braces",
    ],
)
def test_a_title_stays_as_it_is(title: str) -> None:
    assert clean_title(title) == title


def test_a_label_goes_whoever_means_it() -> None:
    # The price of reading "Answer: X" as X; of 40,000 titles at hand none begins like that.
    assert clean_title("Answer: None of the Above") == "None of the Above"


@pytest.mark.parametrize(
    "answer",
    ["", "  \n ", "Sure!", "Title:", "Sure, here is the title:", "**Title:**", "```\n```", "---"],
)
def test_nothing_but_a_lead_in_is_no_title(answer: str) -> None:
    assert clean_title(answer) == ""


@given(st.text(max_size=300))
def test_nothing_is_made_up(answer: str) -> None:
    title = clean_title(answer)
    assert len(title) <= len(answer)
    assert "\n" not in title
    # Every word of the title is one of the answer's, in its order.
    words = iter("".join(answer.split()))
    assert all(character in words for character in "".join(title.split()))
