"""The provider `replay/FILE`: serves answers that were made elsewhere.

FILE is JSON Lines, plain or gzip, with one row an answer:

    {"id": "sample-0007", "epoch": 1, "text": "..."}

`id` is the sample's, a string or an integer: 1 and "1" differ. A row without `epoch` serves every
epoch for which there is no row of its own. `text` may be null: an empty answer. A sample without
a row gets an empty answer too, with `{"missing": true}` in the output's metadata.

FILE is read once a process, when Inspect makes the model. Tokens on the log are words.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeGuard

from inspect_ai.model import (
    ChatMessage,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from vivavoce.errors import InputError
from vivavoce.models.extractive import count_words, last_user_message, our_metadata
from vivavoce.store import Row, read_jsonl

Key = tuple[str | int, int | None]
"""A sample's id and the epoch; None for every epoch."""


class ReplayAPI(ModelAPI):
    """Serves the rows of a file; `model_name` is its path, absolute or relative."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self._answers = load_answers(Path(model_name))

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Serve the row of the sample and epoch named by the last user message."""
        sample_id, epoch = _read_address(input)
        key: Key = (sample_id, epoch)
        if key not in self._answers:
            key = (sample_id, None)
        answer = self._answers.get(key) or ""
        output = ModelOutput.from_content(f"replay/{self.model_name}", answer)
        output.usage = count_words(input, answer)
        if key not in self._answers:
            output.metadata = {"missing": True}
        return output


@modelapi(name="replay")
def replay() -> type[ModelAPI]:
    """Answers read from a file, `replay/FILE`."""
    return ReplayAPI


def load_answers(path: Path) -> dict[Key, str | None]:
    """Read a file of answers; `InputError` names the file and the line of a bad or double row."""
    if not path.is_file():
        raise InputError(f"{path} is not a file. Name it as replay/FILE, from the current folder.")
    answers: dict[Key, str | None] = {}
    lines: dict[Key, int] = {}
    for number, row in read_jsonl(path):
        key, text = _read_row(row, f"{path}:{number}")
        if key in lines:
            raise InputError(
                f"{path}:{number} repeats the id {key[0]!r}{_of_epoch(key[1])} of line "
                f"{lines[key]}. Keep one of them."
            )
        answers[key], lines[key] = text, number
    return answers


def _read_row(row: Row, where: str) -> tuple[Key, str | None]:
    sample_id, epoch = row.get("id"), row.get("epoch")
    if not _is_id(sample_id):
        raise InputError(f"{where} needs an id that is a string or an integer, not {sample_id!r}.")
    if epoch is not None and not _is_epoch(epoch):
        raise InputError(f"{where} has the epoch {epoch!r}; give an integer from 1 or none.")
    if "text" not in row or not isinstance(row["text"], str | None):
        raise InputError(f"{where} needs a text that is a string or null.")
    return (sample_id, epoch), row["text"]


def _is_id(value: object) -> TypeGuard[str | int]:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_epoch(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _of_epoch(epoch: int | None) -> str:
    return "" if epoch is None else f" (epoch {epoch})"


def _read_address(messages: Sequence[ChatMessage]) -> tuple[str | int, int | None]:
    ours = our_metadata(last_user_message(messages))
    match ours.get("sample_id"), ours.get("epoch"):
        case (str() | int()) as sample_id, (int() | None) as epoch:
            return sample_id, epoch
        case sample_id, epoch:
            raise InputError(
                f"replay cannot tell which sample is asked for: the message's metadata has the "
                f"sample id {sample_id!r} and the epoch {epoch!r}. Use a solver of vivavoce, which "
                "writes them."
            )
