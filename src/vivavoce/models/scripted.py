"""Scripted contestants and a scripted judge, for a demo board without models.

`scripted/large`, `medium`, `fast` and `small` are not models. Each knows the gold of the sample
that Inspect runs, and repeats a share of it. This share is the contestant's skill, which varies a
little from item to item. It drops rows of tables, shuffles lists, and drops words of other texts.
Token prices are invented. Their names on a board show that these are not models.

`scripted/judge` answers the prompts of our judge. The more words of the gold a text has, the more
often the judge prefers it. A text supports a fact or a sentence if it has most of the words. The
facts of a section are its sentences. The same sample gets the same answer.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from inspect_ai.model import ChatMessage, ModelCost, ModelInfo, set_model_info
from inspect_ai.solver._task_state import sample_state

from vivavoce.errors import InputError
from vivavoce.metrics.judged_text import ASPECTS
from vivavoce.models.offline import OfflineAPI
from vivavoce.text.sentences import split_sentences

JUDGE = "scripted/judge"
_SPREAD = 0.3
"""Difference in the repeated share between a contestant's easiest and hardest items."""
_COMPARED = re.compile(r"<answer-([12])-(\w+)>(.*?)</answer-\1-\2>", re.DOTALL)
_SECTION = re.compile(r"<text-(\w+)>\n(.*)\n</text-\1>\n\nList the facts", re.DOTALL)
_MAX_FACTS = 12
_LINES = re.compile(r"<(facts|sentences|works)-(\w+)>\n(1\. .*?)\n</\1-\2>", re.DOTALL)
_WORKS = re.compile(r"<works-(\w+)>\n(.*?)\n</works-\1>\n\n<sentences-", re.DOTALL)
_WORK = re.compile(r"^\[(\d+)\] (.*?)(?=^\[\d+\] |\Z)", re.DOTALL | re.MULTILINE)
_LABELS = {"facts": ("absent", "partial", "supported"), "works": ("0", "1", "2")}
_SOURCES = ("absent", "absent", "supported")
_SHARES = (0.4, 0.7)
"""Shares of a line's words above which the line gets the second and the third label."""
_WORD = re.compile(r"\w{4,}")
_STEEPNESS = 3
"""A text with twice as many words from the gold wins with odds of 2 to this power."""


@dataclass(frozen=True, slots=True)
class _Skill:
    share: float
    """Mean share of the gold that the contestant repeats."""
    dollars: float
    """Price per million input tokens; output tokens cost four times as much."""
    fails: float = 0.0
    """Share of items without an answer."""


_SKILLS = {
    "large": _Skill(0.70, 3.0),
    "medium": _Skill(0.52, 0.8),
    "fast": _Skill(0.50, 0.25),
    "small": _Skill(0.30, 0.1, fails=0.08),
}
CONTESTANTS = tuple(f"scripted/{name}" for name in _SKILLS)


class ScriptedAPI(OfflineAPI):
    """Provider that repeats a share of the gold; `model_name` is a skill, or `judge`."""

    kind = "scripted"

    def open(self, model_name: str) -> None:
        """Set the price of the model."""
        name = f"scripted/{model_name}"
        if name not in (*CONTESTANTS, JUDGE):
            raise InputError(
                f"There is no model {name}. There are: {', '.join((*CONTESTANTS, JUDGE))}."
            )
        price = _SKILLS[model_name].dollars if model_name in _SKILLS else 0.0
        cost = ModelCost(
            input=price, output=4 * price, input_cache_write=price, input_cache_read=price
        )
        set_model_info(name, ModelInfo(cost=cost))

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        """Answer the current sample, or judge the texts of the last message."""
        name = self.model_name
        if name == "judge":
            return _judge(messages[-1].text)
        state = sample_state()
        if state is None:
            raise InputError(f"scripted/{name} answers only samples of a run. Name it in viva run.")
        skill = _SKILLS[name]
        draw = Random(f"{name} {state.sample_id} {state.epoch}")
        if draw.random() < skill.fails:
            return ""
        return forget(state.target.text, skill.share + _SPREAD * (draw.random() - 0.5), draw)


def forget(gold: str, share: float, draw: Random) -> str:
    """Keep only a share of a table's rows, of a list's order, or of another text's words."""
    rows = gold.splitlines()
    if gold.startswith("|"):
        return "\n".join(rows[:2] + _kept(rows[2:], share, draw))
    if len(rows) > 2 and "" not in rows:
        moved = [place + (1 - share) * len(rows) * draw.random() for place in range(len(rows))]
        return "\n".join(rows[place] for place in sorted(range(len(rows)), key=moved.__getitem__))
    return " ".join(_kept(gold.split(), share, draw))


def _kept(parts: list[str], share: float, draw: Random) -> list[str]:
    return [part for part in parts if draw.random() < share]


def _judge(prompt: str) -> str:
    if section := _SECTION.search(prompt):
        sentences = split_sentences(section[2])[:_MAX_FACTS]
        facts = [
            {
                "text": text,
                "importance": "vital" if 2 * n < len(sentences) else "okay",
                "quote": text,
            }
            for n, text in enumerate(sentences)
        ]
        return json.dumps({"nuggets": facts})
    asked = _LINES.search(prompt)
    return _labels(prompt, asked) if asked else _verdict(prompt)


def _labels(prompt: str, asked: re.Match[str]) -> str:
    """Label each line by the share of its words that occur in the texts above the lines.

    A sentence also gets the numbers of the works that contain enough of its words.
    """
    texts = _words(prompt[: asked.start()])
    labels = _LABELS.get(asked[1], _SOURCES)
    shown = _WORKS.search(prompt) if asked[1] == "sentences" else None
    works = {int(n): _words(text) for n, text in _WORK.findall(shown[2])} if shown else {}
    given: dict[str, object] = {}
    for number, line in enumerate(asked[3].splitlines(), 1):
        words = _words(line)
        label = labels[sum(_share(words, texts) > least for least in _SHARES)]
        carrying = [n for n, of_work in works.items() if _share(words, of_work) > _SHARES[0]]
        given[str(number)] = {"label": label, "works": carrying} if shown else label
    return json.dumps(given)


def _share(words: set[str], text: set[str]) -> float:
    return len(words & text) / len(words) if words else 0.0


def _verdict(prompt: str) -> str:
    state = sample_state()
    texts = {number: text for number, _, text in _COMPARED.findall(prompt)}
    if state is None or texts.keys() != {"1", "2"}:
        raise InputError(f"{JUDGE} answers only our judge's prompt. Name it as --judge {JUDGE}.")
    gold = _words(state.target.text)
    # Sort the texts, so that their order in the prompt changes no verdict.
    low, high = sorted(texts, key=texts.__getitem__)
    worth = [(1 + len(gold & _words(texts[name]))) ** _STEEPNESS for name in (low, high)]
    draw = Random(texts[low] + texts[high])
    given = {}
    for aspect in ASPECTS:
        is_low = draw.random() * sum(worth) < worth[0]
        given[aspect] = {"reason": "A draw.", "winner": int(low if is_low else high)}
    return json.dumps(given)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))
