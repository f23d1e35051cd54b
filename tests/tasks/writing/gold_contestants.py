"""A round whose answers are judged, and contestants of known quality that are made of the gold."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from tests.servers.commands import viva_here
from tests.servers.scripted import ScriptedServer
from tests.tasks.writing.judges import bare, names

from vivavoce.rounds import Round
from vivavoce.store import write_jsonl

MODEL = "openai-api/scripted/judge"


ROUND = """[round]
id = "late"
window = { start = 2024-11-01, end = 2025-01-01 }
families = ["writing"]
[writing]
settings = ["base", "title_only"]
"""


REMOVED, INVENTED, DENIED = 2, 3, 1
"""Facts taken out; sentences on systems that do not exist; one that its sources contradict."""


@dataclass
class Bench:
    """A round of the sample, its nuggets, and a server that judges."""

    server: ScriptedServer
    round: Round
    nuggets: Path
    folder: Path

    def items(self, task: str = "related_work") -> list[dict[str, Any]]:
        return self.round.items("writing", task)

    def ask(
        self,
        answers: Mapping[str, Mapping[str, str]],
        *options: str,
        judged_by: Sequence[str] = ("--judge", MODEL),
    ) -> dict[str, dict[str, Any]]:
        """Rows by contestant, then by metric, of a run with judge and nuggets."""
        logs = self.folder / f"logs-{len(list(self.folder.iterdir()))}"
        models = []
        for name, texts in answers.items():
            path = self.folder / f"{name}.jsonl"
            write_jsonl(path, [{"id": key, "text": text} for key, text in texts.items()])
            models += ["--model", f"replay/{path}"]
        command = ["run", "related_work", "--round", self.round.folder, "--logs", logs]
        viva_here(*command, *judged_by, *models, *options, env=self.server.environment)
        rows = json.loads(viva_here("board", "show", logs, "--json", "--all").stdout)["rows"]
        found: dict[str, dict[str, Any]] = {}
        for row in rows:
            found.setdefault(Path(row["model"]).stem, {})[row["metric"]] = row
        return found

    def with_nuggets(self, answers: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, Any]]:
        return self.ask(answers, "-T", f"nuggets={self.nuggets}")


def sentences(text: str) -> list[list[str]]:
    """Sentences by paragraph."""
    return [re.split(r"(?<=\.)\s+(?=[A-Z])", part) for part in text.split("\n\n")]


def joined(paragraphs: list[list[str]]) -> str:
    return "\n\n".join(" ".join(part) for part in paragraphs if part)


def whole(item: Mapping[str, Any]) -> list[list[str]]:
    """The gold, each sentence citing by number the first listed work that names its systems."""
    listed = [work for work in item["works"] if work["role"] == "cited"]
    texts = {n: f"{work['title']} {work['abstract'] or ''}" for n, work in enumerate(listed, 1)}

    def cite(sentence: str) -> str:
        wanted = names(sentence)
        carrying = [n for n, text in texts.items() if wanted and wanted <= names(text)]
        ending = f" [{carrying[0]}]." if carrying else "."
        return bare(sentence).rstrip(".") + ending

    return [[cite(one) for one in part] for part in sentences(item["reference"])]


def without_facts(item: Mapping[str, Any]) -> str:
    """Without sentences that name no system: the judge of claims has nothing to say of them."""
    left = REMOVED
    paragraphs = whole(item)
    for part in paragraphs:
        for one in [one for one in part if not names(one)][: max(0, left)]:
            part.remove(one)
            left -= 1
    return joined(paragraphs)


def with_inventions(item: Mapping[str, Any]) -> str:
    invented = [f"Grey{letter}Gull shows it." for letter in "abc"]
    return joined([*whole(item), [*invented, "But IronLoom never worked."]])


def with_swapped_citations(item: Mapping[str, Any]) -> str:
    """Every citation goes to the next one of the works that the text cites."""
    text = joined(whole(item))
    cited = sorted({int(number) for number in re.findall(r"\[(\d+)\]", text)})
    following = dict(zip(cited, [*cited[1:], cited[0]], strict=True))
    return re.sub(r"\[(\d+)\]", lambda match: f"[{following[int(match[1])]}]", text)


def shuffled(item: Mapping[str, Any]) -> str:
    return joined(whole(item)[::-1])


MAKERS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "whole": lambda item: joined(whole(item)),
    "removed": without_facts,
    "invented": with_inventions,
    "swapped": with_swapped_citations,
    "shuffled": shuffled,
}


def mean(values: Iterable[float]) -> float:
    return fmean(list(values))


def claims_of(item: Mapping[str, Any]) -> tuple[int, int]:
    """Sentences of the gold that name a system, and those of them that their sources carry."""
    named = [one for part in whole(item) for one in part if names(one)]
    return len(named), sum("[" in one or "IronLoom" in one for one in named)
