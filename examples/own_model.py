"""You build models, and want to see yours on a board before it has a server.

Three ways: a Python function becomes a provider; answers made elsewhere are replayed from a file;
a GGUF file runs in this process (`--gguf model.gguf`, needs `pip install 'vivavoce[local]'`).

    python examples/own_model.py [--out FOLDER] [--gguf FILE] [--context TOKENS]
"""

import argparse
import re
from collections import Counter
from pathlib import Path

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from vivavoce import build_round, leaderboard, run
from vivavoce.corpus import ingest
from vivavoce.running import RunSpec
from vivavoce.store import write_jsonl

SPEC = {
    "round": {
        "id": "tryout",
        "window": {"start": "2024-06-01", "end": "2025-01-01"},
        "families": ["writing"],
    },
    "writing": {"settings": ["base"]},
}


def guess_title(prompt: str) -> str:
    """What stands here in place of your model: the words that the paper keeps coming back to."""
    words = Counter(re.findall(r"[a-z]{7,}", prompt.lower()))
    return " ".join(word for word, _ in words.most_common(8)).capitalize()


class FunctionAPI(ModelAPI):
    """A provider whose answers come from a function of the prompt."""

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the last message."""
        return ModelOutput.from_content(self.model_name, guess_title(input[-1].text))


@modelapi(name="ours")
def ours() -> type[ModelAPI]:
    """Make every model `ours/NAME` one of this file."""
    return FunctionAPI


def main(out: Path, gguf: Path | None = None, context: int | None = None) -> None:
    """Ask for titles in every way there is."""
    ingest("sample", Path("60"), out / "corpus")
    opened = build_round(out / "corpus", SPEC, out / "rounds")

    # Items are plain rows: answer them wherever you like, and hand in {id, text}.
    elsewhere = out / "answers.jsonl"
    texts = {row["paper_id"]: row for row in opened.rows("writing/papers.parquet")}
    asked = opened.items("writing", "title")
    first = {row["id"]: texts[row["paper_id"]]["abstract"].split(". ")[0] for row in asked}
    write_jsonl(elsewhere, [{"id": item, "text": text} for item, text in first.items()])

    models = ["ours/frequent-words", f"replay/{elsewhere}", "extractive/lead"]
    models += [f"local/{gguf}"] if gguf else []
    report = run(
        RunSpec(
            tasks=["title"],
            round=opened.folder,
            logs=out / "logs",
            models=models,
            context=context,
            display="none",
        )
    )
    for line in report.failed:
        print(f"not complete, run this again: {line}")
    rows = [row for row in leaderboard(out / "logs").rows if row["metric"] == "rougeL"]
    for row in sorted(rows, key=lambda row: row["rank"]):
        name = row["model"].replace(f"{out}/", "")
        low, high = row["ci"]
        span = "-".join(map(str, row["rank_interval"]))
        print(f"{row['rank']} (of {span}) {name}: {row['value']:.3f} [{low:.3f}, {high:.3f}]")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Put a model of your own on a board.")
    parser.add_argument("--out", type=Path, default=Path("example-model"))
    parser.add_argument(
        "--gguf", type=Path, help="weights of a model, or smollm2, to run in this process"
    )
    parser.add_argument("--context", type=int, help="tokens that prompts are cut to: fewer, faster")
    given = parser.parse_args()
    main(given.out, given.gguf, given.context)
