"""Ranked lists in free answers, their faults, and average precision."""

import html
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from vivavoce.metrics.titles_list import (
    FAULTS,
    MAX_LINES,
    average_precision,
    count_faults,
    find_titles,
    title_key,
)

GOLD = [
    "BERT: Pre-training of Deep Bidirectional Transformers",
    "Attention Is All You Need",
    "Why Does It Work? A Bird's-Eye View",
    "3D ResNets for Video",
]
BEST_TO_WORST = (2, 0, 3, 1)
RANKED = [GOLD[index] for index in BEST_TO_WORST]


def lines(template: str, titles: list[str] = RANKED) -> str:
    return "\n".join(
        template.format(number=number, title=title) for number, title in enumerate(titles, start=1)
    )


def labelled(labels: str, template: str) -> str:
    pairs = zip(labels.split(), RANKED, strict=True)
    return "\n".join(template.format(label=label, title=title) for label, title in pairs)


FORMATS = {
    "plain lines": lines("{title}"),
    "numbers": lines("{number}. {title}"),
    "hash": lines("#{number} {title}"),
    "rank words": lines("Rank {number}: {title}"),
    "words": labelled("First Second Third Fourth", "{label}: {title}"),
    "Roman numerals": labelled("I II III IV", "**{label}.** {title}"),
    "bold": lines("{number}. **{title}**"),
    "escaped numbers": lines("{number}\\. {title}"),
    "plain lines apart": lines("{title}\n"),
    "bullets": lines("- {title}"),
    "quotes": lines('{number}. "{title}"'),
    "labelled": lines("{number}. Title: {title}"),
    "link": lines("{number}. [{title}](https://example.org/{number})"),
    "score": lines("{number}. {title} - 93.4%"),
    "reason below": lines("{number}. {title}\n   - It reports the best score.\n   - It is recent."),
    "upper case": lines("{number}. {title}").upper(),
    "no-break spaces": lines("{number}. {title}").replace(" ", "\u00a0"),
    "wide letters": lines("{title}").replace("BERT", "ＢＥＲＴ"),
    "table": "| Rank | Title | F1 |\n|---|---|---|\n" + lines("| {number} | {title} | 0.9 |"),
    "html list": "<ol>" + "".join(f"<li>{html.escape(title)}</li>" for title in RANKED) + "</ol>",
    "html breaks": "<br/>".join(RANKED),
    "html table": "<table>" + lines("<tr><td>{number}</td><td>{title}</td></tr>") + "</table>",
    "python list": repr(RANKED),
    "python list of one": repr(["\n".join(RANKED)]),
    "json list": json.dumps(RANKED),
    "json ranks": json.dumps({title: 1 + i for i, title in enumerate(RANKED)}),
    "unescaped list": "[" + ", ".join(f"'{title}'" for title in RANKED) + "]",
    "code block": f"```python\n{RANKED!r}\n```",
    "thinking first": f"<think>\n{lines('{title}', GOLD)}\n</think>\n{lines('{title}')}",
}
WHOLE_ANSWERS = {
    "two numbers": f"1. {RANKED[0]} 2. {RANKED[1]}",
    "arrows": " > ".join(RANKED[:2]),
    "quotes": f'"{RANKED[0]}", "{RANKED[1]}"',
}
CHATTER = ("Sure! Here is the ranking you asked for:\n\n{}\n\nI hope this helps.", "{}")


@pytest.mark.parametrize("chatter", CHATTER, ids=["in chatter", "alone"])
@pytest.mark.parametrize("form", FORMATS)
def test_reads(form, chatter):
    found = find_titles(chatter.format(FORMATS[form]), GOLD)
    assert (found.order, found.missing) == (BEST_TO_WORST, 0)


@pytest.mark.parametrize("form", WHOLE_ANSWERS)
def test_reads_an_answer_of_one_line(form):
    assert find_titles(WHOLE_ANSWERS[form], GOLD).order == BEST_TO_WORST[:2]


@pytest.mark.parametrize(
    "answer",
    [f"1. {GOLD[1]} 2. A New Title", f"1. A New Title 2. {GOLD[1]}", f"{GOLD[1]} > A New Title"],
)
def test_an_invented_title_on_an_answers_only_line_is_counted(answer: str) -> None:
    found = find_titles(answer, GOLD)
    assert (found.order, found.invented) == ((1,), 1)


@pytest.mark.parametrize("form", ["numbers", "bullets", "plain lines", "json list", "html list"])
def test_a_ranking_after_a_copy_of_the_input_is_the_answer(form):
    copied = "Papers -\n" + lines("{title}", GOLD)
    assert find_titles(f"{copied}\n\nRanking -\n{FORMATS[form]}", GOLD).order == BEST_TO_WORST


def test_of_two_numbered_lists_the_last_is_the_answer():
    copied = lines("{number}. {title}", GOLD)
    assert find_titles(f"{copied}\n\n{FORMATS['numbers']}", GOLD).order == BEST_TO_WORST


def test_a_remark_on_few_of_the_titles_changes_nothing():
    remark = f"Note that two are close:\n- {GOLD[3]}\n- {GOLD[2]}"
    assert find_titles(f"{FORMATS['numbers']}\n\n{remark}", GOLD).order == BEST_TO_WORST


def test_a_loop_that_breaks_off_changes_nothing():
    loop = lines("{number}. {title}", RANKED[:3])
    assert find_titles(f"{FORMATS['numbers']}\n\n{loop}", GOLD).order == BEST_TO_WORST


def test_tiers_are_parts_of_one_list():
    tiers = f"Best:\n- {RANKED[0]}\n- {RANKED[1]}\n\nWorst:\n- {RANKED[2]}\n- {RANKED[3]}"
    assert find_titles(tiers, GOLD).order == BEST_TO_WORST


def test_a_title_inside_another_line_is_not_found():
    found = find_titles("1. Attention Is All You Need in Vision\n2. On 3D ResNets for Video", GOLD)
    assert (found.order, found.missing, found.invented) == ((), 4, 2)


def test_counts_of_invented_repeated_and_missing_titles():
    # Listed: two wanted, one invented twice; the first wanted is said again.
    answer = f"1. {GOLD[1]}\n2. A Made-up Paper\n3. {GOLD[0]}\n4. a made-up paper!\n5. {GOLD[1]}"
    found = find_titles(answer, GOLD)
    assert (found.order, found.missing) == ((1, 0), 2)
    assert (found.invented, found.repeated) == (1, 2)


@pytest.mark.parametrize("answer", [None, "", " \n\n", "I cannot rank these papers.", "[]", "1."])
def test_an_answer_without_a_list(answer):
    found = find_titles(answer, GOLD)
    assert (found.order, found.missing, found.repeated, found.truncated) == ((), 4, 0, False)


def test_wanted_titles_spelt_alike_count_once():
    found = find_titles("1. Deep Nets\n2. Shallow Nets", ["Deep nets", "DEEP-NETS", "Shallow nets"])
    assert (found.order, found.missing, found.repeated) == ((0, 2), 0, 0)


def test_a_title_without_letters_is_still_a_title():
    assert find_titles("1. ???\n2. Paper", ["Paper", "???"]).order == (1, 0)


def test_a_longer_title_wins_over_the_one_it_begins_with():
    wanted = ["Compacting", "Compacting: Nets (Again)"]
    assert find_titles("1. Compacting: Nets (Again) - 0.9\n2. Compacting", wanted).order == (1, 0)


plain_titles = st.lists(
    st.text(st.sampled_from("abcdefgéßñжИ模漢 -:'?,"), min_size=1, max_size=30).filter(
        lambda text: text[0].isalpha() and text[-1].isalpha()
    ),
    min_size=2,
    max_size=8,
    unique_by=title_key,
)


@settings(deadline=None)
@given(titles=plain_titles, chooser=st.randoms(use_true_random=False), data=st.data())
def test_any_titles_in_any_order_and_form_are_read_back(titles, chooser, data):
    order = list(range(len(titles)))
    chooser.shuffle(order)
    shown = [titles[index] for index in order]
    template = data.draw(st.sampled_from(["{number}. {title}", "- {title}", '{number}) "{title}"']))
    for answer in (lines(template, shown), json.dumps(shown), json.dumps(shown, indent=1)):
        assert find_titles(answer, titles).order == tuple(order)


@settings(deadline=None)
@given(answer=st.text(max_size=300), titles=st.lists(st.text(max_size=20), max_size=5))
def test_no_answer_breaks_it(answer, titles):
    found = find_titles(answer, titles)
    assert len(set(found.order)) == len(found.order)
    assert len(found.order) + found.missing == len({title_key(title) for title in titles})


HOSTILE = {
    "a million rows": "1. A paper\n" * 1_000_000,
    "a million different rows": "".join(
        f"{number}. Paper {number}\n" for number in range(1_000_000)
    ),
    "closed brackets": "[" * 500_000 + "]" * 500_000,
    "escapes": '["' + "\\" * 999_999,
    "titles on one line": (GOLD[1] + " - ") * 30_000,
    "records of many keys": json.dumps(
        [dict.fromkeys(map(str, range(12_000)), 0), *[{}] * 30_000], separators=(",", ":")
    ),
    "letters that only look alike": "1. Аttentiоn Is Аll Yоu Nееd\n" * 30_000,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_name_at_most_one_title(name):
    found = find_titles(HOSTILE[name], GOLD)
    assert len(found.order) <= 1


def test_rows_beyond_the_cap_are_not_read():
    answer = "1. Filler\n" * MAX_LINES + lines("{title}")
    found = find_titles(answer, GOLD)
    assert (found.truncated, found.order) == (True, ())
    assert not find_titles("1. Filler\n" * (MAX_LINES - 4) + lines("{title}"), GOLD).truncated


LISTED = ["Trees of Ash, Elm, and Oak", "Sparse Attention", "Sparse Attention with Memory"]
LIST = "\n".join(f"{number}. {title}" for number, title in enumerate(LISTED, 1))


def faults(text: str, gold: list[str] = LISTED) -> dict[str, float]:
    counts = count_faults(text, gold, find_titles(text, gold))
    return {name: value for name, value in counts.items() if value}


def test_a_list_of_the_titles_has_no_fault() -> None:
    assert faults(LIST) == {}
    assert faults("\n".join(LISTED)) == {}
    assert faults(f"```\n{LIST}\n```") == {}
    assert faults("\n".join(f'- **"{title}"**' for title in LISTED)) == {}


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
    items = "".join(f"<li>{title}</li>" for title in LISTED)
    assert faults(f"<ol>{items}</ol><br/>") == {"markup": 9}


def test_prose_without_a_title_lacks_them_all() -> None:
    assert faults("We study a problem and report what we find.") == {"chatter": 1, "missing": 3}
    assert faults("") == {"missing": 3}


@settings(deadline=None)
@given(st.text(max_size=300))
def test_counts_of_any_text_are_whole_and_not_negative(text: str) -> None:
    counts = count_faults(text, LISTED, find_titles(text, LISTED))
    assert all(value >= 0 and value == int(value) for value in counts.values())
    assert counts.keys() == set(FAULTS)


RETRIEVED = ["d1", "d2", "d3", "d4", "d5"]
RELEVANT = {"d1", "d4", "d9"}

ids = st.lists(st.sampled_from("abcdefé模"), max_size=12)


def test_worked_example():
    # Hits at ranks 1 and 4 of 3 relevant.
    assert average_precision(RETRIEVED, RELEVANT) == pytest.approx((1 / 1 + 2 / 4) / 3)


def test_an_item_retrieved_again_is_no_second_hit():
    # d1 at ranks 1 and 2, d4 at rank 3.
    assert average_precision(["d1", "d1", "d4"], RELEVANT) == pytest.approx((1 + 2 / 3) / 3)


def test_nothing_relevant_leaves_average_precision_undefined():
    assert average_precision(RETRIEVED, []) is None


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=30))
def test_average_precision_equals_scikit_learn(is_relevant):
    relevant = [place for place, flag in enumerate(is_relevant) if flag]
    ours = average_precision(range(len(is_relevant)), relevant)
    if ours is None:
        assert not relevant
    else:
        falling = range(len(is_relevant), 0, -1)
        assert ours == pytest.approx(average_precision_score(is_relevant, list(falling)))


@settings(deadline=None)
@given(ids, ids)
def test_values_lie_between_0_and_1_and_duplicates_of_relevance_change_nothing(retrieved, relevant):
    value = average_precision(retrieved, relevant)
    assert value is None or 0 <= value <= 1
    doubled = average_precision(retrieved, relevant * 2)
    assert doubled == average_precision(retrieved, relevant)
