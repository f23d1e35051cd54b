"""Kinds of markup around an answer, made by a seeded generator.

A markup is put together of a thought, a wrapper, a preface, a remark and end tokens, each in a
spelling of its own; some names are invented. Half of all markups, by a hash of their text, is kept
from those who develop the reader: `halves` tells which.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random

Draw = Callable[[Random], str]

_SAYING = [
    "think", "thinking", "thought", "thoughts", "reasoning", "reflection", "analysis", "scratchpad",
    "chain{}of{}thought", "inner{}monologue", "internal{}reasoning", "my{}thoughts", "deep{}think",
    "thought{}process", "deliberation", "step{}by{}step{}reasoning", "pondering", "seed:think",
    "brainstorming", "model_thoughts", "reasoning_content", "cot",
]  # fmt: skip
_SILENT = [
    "notes", "work", "musings", "considerations", "workings", "hmm", "rumination", "nachdenken",
    "思考", "pensée", "размышления", "prelude", "rough", "aside", "inner_voice",
]  # fmt: skip
_ANSWERS = ["answer", "final_answer", "final{}answer", "output", "response", "solution", "result"]
_BRACKETS = [
    ("<", ">"), ("[", "]"), ("◁", "▷"), ("⟨", "⟩"), ("【", "】"), ("<|", "|>"), ("<｜", "｜>"),
]  # fmt: skip
_TOKENS = [
    "<|im_end|>", "</s>", "<eos>", "<end_of_turn>", "<|eot_id|>", "<｜end▁of▁sentence｜>", "[EOS]",
    "<|endoftext|>", "<|end|>", "<|return|>", "<|END_OF_TURN_TOKEN|>", "[/INST]", "<eod>",
    "<|fin|>", "<unused1>", "</message>", "<|assistant_end|>",
]  # fmt: skip
_CHANNELS = [
    "<|channel|>{0}<|message|>{1}<|end|><|start|>assistant<|channel|>{2}<|message|>{3}",
    "<|start|>assistant<|channel|>{0}<|message|>{1}<|end|><|start|>assistant<|channel|>{2}"
    "<|message|>{3}<|return|>",
    "{1}<|end|><|start|>assistant<|channel|>{2}<|message|>{3}",
    "<|im_start|>{0}\n{1}<|im_end|>\n<|im_start|>{2}\n{3}<|im_end|>",
    "<|start_header_id|>{0}<|end_header_id|>\n\n{1}<|eot_id|><|start_header_id|>{2}"
    "<|end_header_id|>\n\n{3}<|eot_id|>",
    "<|channel>{0}\n{1}<channel|>{3}",
    "<|begin_of_{0}|>{1}<|end_of_{0}|>\n<|begin_of_{2}|>{3}<|end_of_{2}|>",
    "<|START_{0}|>{1}<|END_{0}|><|START_{2}|>{3}<|END_{2}|>",
]
_OPEN_CHANNELS = [
    "<|channel|>{0}<|message|>{1}",
    "<|start|>assistant<|channel|>{0}<|message|>{1}",
    "<|im_start|>{0}\n{1}",
    "<|begin_of_{0}|>{1}",
    "<|channel>{0}\n{1}",
]
_COURTESY = ["", "", "Sure! ", "Certainly. ", "Of course! ", "Okay, ", "Gladly. ", "Absolutely — "]
_PREFACES = [
    "Here is the {}:", "Here's my {}:", "Below is the {} you asked for:", "The {} follows:",
    "This is my proposal for the {}:", "Based on the paper, here is a possible {}:",
    "Having read everything, I suggest this {}:", "Voici le {} :", "Hier ist mein {}:",
    "以下是{}：", "Aquí tienes el {}:", "The following {} sums it up:", "Here you go:",
    "My {}, as requested:",
]  # fmt: skip
_REMARKS = [
    "I hope this helps!", "Let me know if you would like any changes.",
    "Feel free to ask for another version.", "Please tell me if it should be shorter.",
]  # fmt: skip
_LABELS = [
    "Final answer:", "**Final Answer**", "### Answer", "**Answer:**", "Final {}:", "FINAL ANSWER:",
    "## Final Answer", "**Final {}:**",
]  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """An answer, and a wrong one of the same form that a thought may hold."""

    name: str
    """Name of it in a preface."""
    wrong: str
    has_lines: bool = True
    """True if a fence, a preface or a remark may be around it on lines of its own."""
    is_code: bool = False
    """True if it has a fence of its own or is data, so that no other goes around it."""


@dataclass(frozen=True)
class Markup:
    """A kind of markup around any answer."""

    seed: int
    parts: tuple[str, ...]
    """Names of its parts, for messages."""
    is_open: bool
    """True if the thought never ends, so that there is no answer."""

    def around(self, answer: str, kind: Kind) -> str:
        """The message: the answer in this markup."""
        return _render(Random(self.seed), answer, kind)[0]


def markups(count: int, seed: int = 0) -> list[Markup]:
    """So many kinds of markup, always the same for a seed."""
    random = Random(seed)
    made = []
    for _ in range(count):
        own = random.getrandbits(32)
        _, parts, is_open = _render(Random(own), "ANSWER", Kind("text", "WRONG"))
        made.append(Markup(own, parts, is_open))
    return made


def halves(all_of_them: Sequence[Markup]) -> tuple[list[Markup], list[Markup]]:
    """The markups to develop on, and those that are kept from it."""
    bits = [
        sha256(_render(Random(each.seed), "ANSWER", Kind("text", "WRONG"))[0].encode()).digest()[0]
        & 1
        for each in all_of_them
    ]
    return (
        [each for each, bit in zip(all_of_them, bits, strict=True) if not bit],
        [each for each, bit in zip(all_of_them, bits, strict=True) if bit],
    )


def _render(random: Random, answer: str, kind: Kind) -> tuple[str, tuple[str, ...], bool]:
    """The message, the names of its parts, and whether its thought never ends.

    Every draw is made whatever the kind is, so that a seed means the same markup for all of them.
    """
    parts: list[str] = []
    thought = _thought(random, kind)
    style = random.choices(
        ["none", "block", "channels", "heading", "fence", "details", "quote", "inline", "bare"],
        [4, 10, 4, 3, 1, 1, 1, 1, 1],
    )[0]
    is_open = random.random() < 0.12
    if is_open:
        style = random.choice(["block", "channels"])
    wrapped = _wrapped(
        random,
        answer,
        kind,
        parts,
        needs_label=style == "heading",
        is_bare=is_open or style == "inline",
    )
    message = wrapped
    if style == "block":
        message, is_open = _block(random, thought, wrapped, parts, is_open)
    elif style == "channels":
        message = _channels(random, thought, wrapped, parts, is_open)
    elif style == "none":
        is_open = False
    else:
        name = _spell(random, random.choice(_SAYING))
        is_open = False
        message = {
            "heading": f"{_heading(random, name)}\n\n{thought}\n\n{wrapped}",
            "fence": f"````{name.replace(' ', '_')}\n{thought}\n````\n\n{wrapped}",
            "inline": f"{name}: {thought}\n\nFinal answer: {wrapped}",
            "bare": f"analysis{thought.replace('<answer>', 'answer')}assistantfinal{wrapped}",
            "details": f"<details>\n<summary>{name}</summary>\n\n{thought}\n\n</details>\n\n"
            f"{wrapped}",
            "quote": "".join(f"> {line}\n" for line in [f"{name}...", *thought.split("\n")])
            + f"\n{wrapped}",
        }[style]
        parts.append(f"{style} {name}")
        if not thought:
            message, parts[-1] = wrapped, "no thought"
    if not is_open and random.random() < 0.3:
        token = "".join(random.choices(_TOKENS, k=random.choice([1, 1, 2])))
        message += random.choice(["", "\n"]) + token
        parts.append(token)
    return message, tuple(parts), is_open


def _thought(random: Random, kind: Kind) -> str:
    words = [
        "First I should look at what was measured.",
        f"Perhaps this would do:\n\n{kind.wrong}\n\nNo, that is not right.",
        "I will end this with a closing tag and then put the rest in <answer> tags.",
        "So the order matters, and x < y holds for <b>all</b> of them.",
        "Wait, let me check again.",
    ]
    return random.choice([" ", "\n\n"]).join(random.sample(words, random.choice([0, 1, 2, 3, 4])))


def _spell(random: Random, name: str) -> str:
    """A name with one way to join its words, in one way to write capitals."""
    joined = name.format(*[random.choice(["_", "-", " ", ""])] * name.count("{}"))
    return random.choice([str.lower, str.lower, str.capitalize, str.upper])(joined)


def _invented(random: Random) -> str:
    return "".join(
        random.choice("bdfgklmnprstvz") + random.choice("aeiou")
        for _ in range(random.choice([2, 3]))
    )


def _block(
    random: Random, thought: str, answer: str, parts: list[str], is_open: bool
) -> tuple[str, bool]:
    kind = random.choices(["saying", "silent", "invented"], [6, 2, 2])[0]
    name = {
        "saying": _spell(random, random.choice(_SAYING)),
        "silent": _spell(random, random.choice(_SILENT)),
        "invented": _invented(random),
    }[kind]
    first, last = random.choice(_BRACKETS)
    if kind != "saying" and first != "<":
        first, last = "<", ">"  # elsewhere only what says reasoning is plainly a marker
    if " " in name and "|" in first + last:
        name = name.replace(" ", "_")
    attribute = random.choice(["", "", "", ' effort="high"']) if first == "<" else ""
    space = random.choice(["", " "]) if first == "<" and not attribute else ""
    opener, closer = f"{first}{name}{attribute}{last}", f"{first}/{name}{space}{last}"
    gap = random.choice(["", "\n", "\n\n"])
    behind = random.choice(["\n", "\n\n", ""])
    form = random.choices(["whole", "template", "twice"], [5, 3, 1])[0]
    parts.append(f"{'open' if is_open else form} {opener}")
    if is_open:
        return f"{opener}{gap}{thought}\n{answer}", True
    body = f"{gap}{thought}{gap}{closer}{behind}"
    if form == "template":
        return f"{body}{answer}", False
    if form == "twice" and kind == "saying":
        return f"{opener}{body}{opener}{body}{answer}", False
    return f"{opener}{body}{answer}", False


def _channels(random: Random, thought: str, answer: str, parts: list[str], is_open: bool) -> str:
    name = random.choice(["analysis", "thinking", "reasoning", "thought", "think"])
    final = random.choice(["final", "answer", "response", "assistant"])
    form = random.choice(_OPEN_CHANNELS if is_open else _CHANNELS)
    parts.append(form.format(name, "…", final, "…"))
    return form.format(name, f"{thought}\n{answer}" if is_open else thought, final, answer)


def _heading(random: Random, name: str) -> str:
    return random.choice(["## {}", "**{}**", "**{}:**", "{}:", "# {}:"]).format(name)


def _wrapped(
    random: Random, answer: str, kind: Kind, parts: list[str], *, needs_label: bool, is_bare: bool
) -> str:
    style = random.choices(
        ["none", "block", "label", "fence", "preface", "preface fence", "json", "role"],
        [5, 3, 2, 2, 3, 1, 1, 1],
    )[0]
    key = random.choice(["answer", "final_answer", "text", "response", "output"])
    beside = {random.choice(["reasoning", "thoughts", "analysis"]): "Nets?"}
    data = json.dumps({**(beside if random.random() < 0.5 else {}), key: answer})
    role = random.choice(
        [
            "<|assistant|>\n",
            "<|im_start|>assistant\n",
            "<|start_header_id|>assistant<|end_header_id|>\n\n",
        ]
    )
    if needs_label and style not in ("block", "label"):
        style = "label"
    if is_bare or (kind.is_code and style == "json"):
        style = "none"
    name = _spell(random, random.choice(_ANSWERS))
    first, last = random.choice([("<", ">"), ("<", ">"), ("[", "]")])
    is_shut = random.random() < 0.9
    label = random.choice(_LABELS).format(kind.name)
    preface = (random.choice(_COURTESY) + random.choice(_PREFACES)).format(kind.name)
    gap = random.choice(["\n", "\n\n"])
    fence = random.choice(["```", "```text", "```markdown", "~~~"])
    remark = random.choice(_REMARKS) if random.random() < 0.2 else ""
    if style != "none":
        parts.append(
            {"block": f"{first}{name}{last}", "label": label, "preface": preface}.get(style, style)
        )
    fenced = answer if kind.is_code else f"{fence}\n{answer}\n{fence[:3]}"
    text = {
        "none": answer,
        "block": f"{first}{name}{last}{gap if kind.has_lines else ''}{answer}"
        + (f"{gap if kind.has_lines else ''}{first}/{name}{last}" if is_shut else ""),
        "label": f"{label}{gap}{answer}",
        "fence": fenced,
        "json": data,
        "role": f"{role}{answer}",
        "preface": f"{preface}{gap}{answer}",
        "preface fence": f"{preface}\n\n{fenced}",
    }[style]
    if remark and is_shut and style not in ("json", "role"):
        parts.append(remark)
        text += f"\n\n{remark}"
    return text
