"""The final answer in a message, however models mark their reasoning and the answer's end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.text.answers import clean_title, without_wrapper
from vivavoce.text.final_answer import final_answer

ANSWER = "Otters open boxes. They copy <b>each other</b> in 3 of 4 cases [7]."
THOUGHT = "First the boxes.\n\nPerhaps the seals belong here: <i>maybe</i>?"

NAMES = ["think", "REASONING", "inner_monologue", "seed:think", "plan b"]
BRACKETS = ["<{}>", "[{}]", "◁{}▷", "⟨{}⟩", "【{}】", "<|{}|>", "<｜{}｜>"]


@pytest.mark.parametrize("space", ["", "\n\n"])
@pytest.mark.parametrize("bracket", BRACKETS)
@pytest.mark.parametrize("name", NAMES)
def test_reasoning_goes_however_it_is_marked(name: str, bracket: str, space: str):
    opener, closer = bracket.format(name), bracket.format(f"/{name}")
    whole = f"{opener}{space}{THOUGHT}{space}{closer}{space}{ANSWER}"
    opened_by_the_template = f"{THOUGHT}{space}{closer}{space}{ANSWER}"
    for message in (whole, opened_by_the_template):
        found = final_answer(message)
        assert (found.text, found.cut_from) == (ANSWER, "reasoning")


@pytest.mark.parametrize(
    "opener",
    [
        *("<think>", "[THINK]", "◁think▷", "<|begin_of_thought|>", "<inner monologue>", "<zorp>"),
        *("Thinking:\n", "## Thought process\n", "<|im_start|>thought\n", "```thinking\n"),
    ],
)
def test_reasoning_that_never_ends_is_no_answer(opener: str):
    found = final_answer(f"{opener}{THOUGHT} {ANSWER}")
    assert (found.text, found.is_unclosed, found.cut_from) == ("", True, "reasoning")


@pytest.mark.parametrize(
    "part", ["abstract", "intro", "related_work", "relatedwork", "paper", "text"]
)
def test_a_part_of_a_paper_that_is_never_closed_holds_the_answer(part: str) -> None:
    found = final_answer(f"<{part}>\nTrees are parsed quickly.")
    assert (found.text, found.cut_from) == ("Trees are parsed quickly.", "wrapper")


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("Here is my thought process:\n", "\n\nHere is my response:\n"),
        ("**My reasoning:** ", "\n\n**The final output:**\n"),
        ("< think >", "< / think >"),
    ],
)
def test_a_line_that_announces_the_answer_ends_reasoning(before: str, behind: str) -> None:
    assert final_answer(f"{before}{THOUGHT}{behind}{ANSWER}").text == ANSWER


def test_reasoning_that_ends_and_is_followed_by_nothing_leaves_an_empty_answer():
    found = final_answer(f"<think>{THOUGHT}</think>\n")
    assert (found.text, found.is_unclosed) == ("", False)


@pytest.mark.parametrize(
    "token",
    [
        *("<|im_end|>", "</s>", "<eos>", "<end_of_turn>", "<｜end▁of▁sentence｜>"),
        *("[/INST]", "[EOS]", "[|endofturn|]"),
    ],
)
def test_end_tokens_go(token: str):
    for message in (ANSWER + token, f"{ANSWER}\n{token}{token}\n"):
        found = final_answer(message)
        assert (found.text, found.cut_from) == (ANSWER, "tokens")
    assert final_answer(f"<think>{THOUGHT}</think>{ANSWER}{token}").text == ANSWER


@pytest.mark.parametrize("name", ["answer", "ANSWER", "final_answer", "output", "Solution"])
def test_an_answer_block_is_the_answer(name: str):
    block = f"<{name}>\n{ANSWER}\n</{name}>"
    assert final_answer(block).cut_from == "wrapper"
    for message in (
        block,
        f"{THOUGHT}\n{block}",
        f"<think>{THOUGHT}</think>{block}<|im_end|>",
        f"{block}\nI hope this helps!",
        f"<{name}>A first try.</{name}> No, rather: {block}",
        f"{THOUGHT}\n</think>\n<{name}>{ANSWER}",  # cut at the limit of tokens
    ):
        assert final_answer(message).text == ANSWER


CHANNEL = "<|channel|>analysis<|message|>"


@pytest.mark.parametrize(
    "message",
    [
        f"{CHANNEL}{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
        f"{THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}",
        f"<|begin_of_thought|>{THOUGHT}<|end_of_thought|>\n<|begin_of_solution|>{ANSWER}"
        "<|end_of_solution|>",
        f"<|im_start|>assistant\n{ANSWER}<|im_end|>",
    ],
)
def test_of_a_message_in_parts_the_last_counts(message: str):
    assert final_answer(message).text == ANSWER


def test_a_channel_of_reasoning_that_never_ends_is_no_answer():
    assert final_answer(CHANNEL + THOUGHT).is_unclosed


@pytest.mark.parametrize(
    "label", ["Final answer:", "**Final Answer**", "### Answer:", "Final table:"]
)
def test_drafts_above_a_final_label_go(label: str):
    found = final_answer(f"A draft.\n\n{label}\n\n{ANSWER}")
    assert (found.text, found.cut_from) == (ANSWER, "draft")


@pytest.mark.parametrize(
    "text",
    [
        "We add a </think> token, and train on <mask> tokens.",
        "The special token `<|endoftext|>` ends a text; <sep>, <cls> and [PAD] do not.",
        "We tag <person>Ann</person>, who wrote it.",
        "<TextCoop>: a parser of discourse",
        "H<sub>2</sub>O is <em>wet</em>",
        "<ol>\n<li>Rain</li>\n<li>Tides</li>\n</ol>",
        "<item>Rain</item>\n<item>Tides</item>",
        "[1] shows that x < y > z. Final remarks follow.",
        "If a[i] <b and c> d, see [Smith 2020].",
    ],
)
def test_a_text_with_brackets_stays(text: str):
    assert final_answer(text).text == text
    assert final_answer(f"<think>{THOUGHT}</think>{text}").text == text


@given(st.text(max_size=300))
def test_nothing_is_made_up(message: str):
    found = final_answer(message)
    assert found.text in message
    assert final_answer(found.text).text in found.text
    assert all(part in message for _, part in found.cuts)


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "unit", ["<a>", "</a>", "<a ", "[A]", "[/A]", "<|a|>", "Answer:\n", "<think>", "< "]
)
def test_long_messages_take_linear_time(unit: str):
    final_answer(unit * 50_000)


def test_a_line_that_announces_the_text_goes_and_a_fence_is_opened():
    text = "Otters open boxes. They copy each other, and forty of them were filmed for a year."
    for message in (
        text,
        f"Sure! Here is the abstract:\n\n{text}",
        f"```markdown\n{text}\n```",
        f"This is the text you asked for:\n```\n{text}\n```",
    ):
        assert without_wrapper(message) == text


def test_a_heading_a_title_in_two_lines_and_code_inside_a_text_stay():
    for text in (
        "Background:\nOtters open boxes, and nobody knows why they do it at all.",
        "What We Learned From Otters:\nA Survey",
        "We run\n```\ncode\n```\nand report.",
    ):
        assert without_wrapper(text) == text


@pytest.mark.parametrize("fence", ["```", "~~~~"])
@pytest.mark.parametrize("thought", [f"<think>{THOUGHT}</think>", f"{THOUGHT}</think>"])
def test_a_fence_around_thought_and_answer_goes_whole(fence: str, thought: str):
    found = final_answer(f"{fence}text\n{thought}\n{ANSWER}\n{fence}")
    assert (found.text, found.cut_from) == (ANSWER, "reasoning")


@pytest.mark.parametrize(
    "text",
    [
        "```xml\n<root><a>1</a></root>\n```",
        "```python\nx = 1\n```",
        "```\na\n```\nand\n```\nb\n```",
    ],
)
def test_a_fence_without_reasoning_or_of_several_stays(text: str):
    assert final_answer(text).text == text


def test_a_heading_behind_a_marker_opens_a_thought_that_the_next_marker_ends():
    message = f"<unused94>thought\n{THOUGHT}<unused95>{ANSWER}"
    assert final_answer(message).text == ANSWER
    assert final_answer(f"<unused94>thought\n{THOUGHT}").is_unclosed


@pytest.mark.parametrize("line", ["Here you go:", "Sure! Here is the title:", "**My title:**"])
@pytest.mark.parametrize("space", ["\n", "\n\n"])
def test_a_line_that_announces_a_single_line_goes(line: str, space: str):
    assert without_wrapper(f"{line}{space}How otters float") == "How otters float"


PLACES = [
    *(
        "<<think>>{0}<</think>>{1}",
        "[[think]]{0}[[/think]]\n{1}",
        "{{{{think}}}}{0}{{{{/think}}}}{1}",
    ),
    *(
        "«think»{0}«/think»{1}",
        "《思考》{0}《/思考》{1}",
        "「a」{0}「/a」{1}",
        "&lt;a&gt;{0}&lt;/a&gt;{1}",
    ),
    *("<think>{0}</thinking>{1}", "<thinking>{0}<thinking/>{1}", "<!-- a -->{0}<!-- /a -->{1}"),
    *("<think_start>{0}<think_end>{1}", "<|thought_start|>{0}<|thought_end|>{1}"),
    *("[BEGIN REASONING]{0}[END REASONING]{1}", "[THINKING]\n{0}\n[ANSWER]\n{1}"),
    *(
        "--- THINKING ---\n{0}\n--- END THINKING ---\n{1}",
        "=== Thought ===\n{0}\n=== Answer ===\n{1}",
    ),
    *("BEGIN THINKING\n{0}\nEND THINKING\n{1}", "Thinking...\n{0}\n...done thinking.\n\n{1}"),
    *("## Thought process\n\n{0}\n\n---\n\n{1}", "**Reasoning**\n{0}\n\n**Output**\n\n{1}"),
    *("> Thinking...\n> {2}\n\n{1}", "```thinking\n{0}\n```\n{1}", "Thought for 12 seconds\n\n{1}"),
    *("Thought: {0}\nFinal answer: {1}", "analysisFirst the boxes.assistantfinal{1}"),
    *("<zorp>{0}</zorp>\n<vand>{1}</vand>", "<step>{0}</step>\n<step>{0}</step>\n{1}"),
    *(
        "<details><summary>Thoughts</summary>{0}</details>\n{1}",
        "<|channel>thought\n{0}<channel|>{1}",
    ),
    '{{"thoughts": "Seals?", "answer": "{1}"}}',
]


@pytest.mark.parametrize("form", PLACES)
def test_reasoning_is_known_by_its_place(form: str):
    message = form.format(THOUGHT, ANSWER, THOUGHT.replace("\n", "\n> "))
    assert (final_answer(message).text, final_answer(message).cut_from) == (ANSWER, "reasoning")


def test_the_turns_that_a_model_makes_up_for_others_go():
    for turn in ("<|im_start|>user\nThanks!", "<|start_header_id|>user<|end_header_id|>\n\nOh?"):
        assert final_answer(f"{ANSWER}<|im_end|>\n{turn}<|im_end|>").text == ANSWER


@pytest.mark.parametrize(
    "name", ["Assistant: ", "assistant\n", "**Assistant:** ", "[assistant] ", "### Response:\n"]
)
def test_the_name_of_the_speaker_goes_with_turns_behind_it(name: str):
    text = f"{name}{ANSWER}\n\nUser: Thanks, one more.\nAssistant: No."
    assert final_answer(text).text == ANSWER
    assert final_answer(f"{ANSWER}\n\nUser: {ANSWER}").text == f"{ANSWER}\n\nUser: {ANSWER}"


def test_items_in_blocks_of_their_own_stay():
    text = "<paper>Rain</paper>\n<paper>Tides</paper>\n<paper>Boxes</paper>\nThat is the order."
    assert final_answer(text).text == text


@pytest.mark.parametrize("label", ["Final title:", "**Revised abstract:**", "My final ranking is:"])
def test_a_final_version_replaces_the_drafts_above_it(label: str):
    message = f"Title: {ANSWER[:9]}\n\nWait, that says too little.\n\n{label} {ANSWER}"
    assert (final_answer(message).text, final_answer(message).cut_from) == (ANSWER, "draft")
    note = f"{ANSWER}\n\nFinal note: the title has few words."
    assert final_answer(note).text == note


def test_a_question_to_the_reader_goes_in_any_language():
    text = "Tides move sand. " * 15
    assert without_wrapper(f"{text}\n\nSoll ich es kürzen?") == text.strip()
    assert without_wrapper("Do tides move sand?") == "Do tides move sand?"


@pytest.mark.parametrize(
    "remark",
    ["I hope this helps!", "Let me know if you want it shorter.", "(13 words)", "Word count: 13"],
)
def test_a_last_line_to_the_reader_goes(remark: str):
    assert without_wrapper(f"{ANSWER}\n\n{remark}") == ANSWER


@pytest.mark.parametrize(
    "label", ["# Abstract\n\n", "**Abstract**\n", "Abstract: ", "Abstract\n\n"]
)
def test_the_name_of_a_text_above_it_goes(label: str):
    assert without_wrapper(f"{label}{ANSWER}") == ANSWER


def test_a_line_of_a_paper_that_ends_in_a_colon_stays():
    for line in ("We use the following baselines:", "Each step needs three things to be true:"):
        text = f"{line}\n\n- boxes that open, and otters that are filmed for a year while they do"
        assert without_wrapper(text) == text


@pytest.mark.parametrize("line", ["Voici le résumé :", "以下是摘要：", "The abstract follows:"])
def test_an_announcement_is_known_in_any_language(line: str):
    assert without_wrapper(f"{line}\n\n{ANSWER}") == ANSWER
    assert clean_title(f"{line}\n\nOtters and Boxes") == "Otters and Boxes"
