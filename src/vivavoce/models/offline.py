"""Offline providers: `extractive` copies sentences of the paper, `replay/FILE` replays answers.

`extractive/lead` answers with the opening of the paper, `extractive/centrality` with its most
central sentences. Both read the last user message. Its metadata, written by our solvers, mark the
paper's text in the message and give the answer's length:

    {"vivavoce": {"source": [start, end], "words": 200}}

`source` may also be a list of such pairs, one per excerpt. Without `source`, the whole message is
the text; the default length is 200 words. Token counts in the log are counts of words.

`replay/FILE` returns answers made elsewhere. FILE is JSON Lines, plain or gzip, with one row per
answer:

    {"id": "sample-0007", "epoch": 1, "text": "..."}

`id` is the sample's id, a string or an integer: 1 and "1" differ. A row without `epoch` is used in
every epoch that has no row of its own. A `text` of null is an empty answer. A sample without a row
also gets an empty answer, with `{"missing": true}` in the output's metadata.

FILE is read once per process, when Inspect creates the model. Its hash is part of a run's identity.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.tool import ToolChoice, ToolInfo
from numpy.typing import NDArray
from pydantic import StrictInt, StrictStr

from vivavoce.checking import Ordinal, read_records
from vivavoce.errors import InputError
from vivavoce.retrieval.sparse import TfidfRetriever
from vivavoce.store import hash_file
from vivavoce.text.sentences import cut_words, is_heading, split_sentences

MAX_SENTENCES = 1_000
"""Number of leading sentences considered; time and memory are quadratic in it."""

_WORD = re.compile(r"\w+")
_DAMPING = 0.85
_TOLERANCE = 1e-10
_MAX_STEPS = 200
_DECIMALS = 9

Vector = NDArray[np.float64]


def central_sentences(sentences: Sequence[str], limit_words: int) -> list[int]:
    """Choose the most central sentences; return their indices in text order.

    Sentences are tried from the most central down, and each is taken if it still fits the limit.
    The most central sentence is taken even if it is longer. Only the first `MAX_SENTENCES` count.
    For a limit below 1, none is taken.
    """
    considered = sentences[:MAX_SENTENCES]
    if limit_words < 1 or not considered:
        return []
    scores = score_sentences(considered)
    ranking = sorted(range(len(considered)), key=lambda index: (-scores[index], index))
    chosen: list[int] = []
    left = limit_words
    for index in ranking:
        length = len(considered[index].split())
        if length <= left or not chosen:
            chosen.append(index)
            left -= length
        if left <= 0:
            break
    return sorted(chosen)


def score_sentences(sentences: Sequence[str]) -> list[float]:
    """Centrality of each sentence: its PageRank in the graph of TF-IDF cosine similarities.

    The scores sum to 1. They are rounded to nine decimals, so that ties remain ties despite other
    rounding errors on another machine.
    """
    if not sentences:
        return []
    vectors = TfidfRetriever(sentences, lambda text: _WORD.findall(text.casefold())).rows()
    similarity: Vector = (vectors @ vectors.T).toarray()
    np.fill_diagonal(similarity, 0.0)
    # Power iteration; the rank of a sentence without neighbours is spread over all sentences.
    size = len(similarity)
    totals = similarity.sum(axis=1)
    is_alone = totals == 0
    transition = similarity / np.where(is_alone, 1.0, totals)[:, np.newaxis]
    rank = np.full(size, 1 / size)
    for _ in range(_MAX_STEPS):
        spread = rank[is_alone].sum() / size
        following = (1 - _DAMPING) / size + _DAMPING * (rank @ transition + spread)
        change = np.abs(following - rank).sum()
        rank = following
        if change < _TOLERANCE:
            break
    return [float(score) for score in rank.round(_DECIMALS)]


DEFAULT_WORDS = 200
TITLE_WORDS = 20
"""If the limit is at most this, the answer is one sentence, cut, without its final mark."""

_PARAGRAPHS = "\n\n"

Pick = Callable[[Sequence[str], int], list[int]]


class OfflineAPI(ModelAPI):
    """Provider that answers by rule; usage is counted in words, so no tokenizer is needed."""

    kind: str
    """Prefix of the names of the provider's models."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self.open(model_name)

    def open(self, model_name: str) -> None:
        """Prepare the model; `InputError` if no model has this name."""
        raise NotImplementedError

    def answer(self, messages: Sequence[ChatMessage]) -> str | None:
        """Answer the messages; None if there is no answer."""
        raise NotImplementedError

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the messages; tools and settings are ignored."""
        answer = self.answer(input)
        output = ModelOutput.from_content(f"{self.kind}/{self.model_name}", answer or "")
        read = sum(len(message.text.split()) for message in input)
        written = len((answer or "").split())
        total = read + written
        output.usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=total)
        if answer is None:
            output.metadata = {"missing": True}
        return output


class ExtractiveAPI(OfflineAPI):
    """Provider that answers with sentences of the input; `model_name` is `lead` or `centrality`."""

    kind = "extractive"

    def open(self, model_name: str) -> None:
        """Choose the way to pick sentences."""
        if model_name not in PICKS:
            raise InputError(
                f"There is no model extractive/{model_name}. "
                f"There are: {', '.join(f'extractive/{name}' for name in PICKS)}."
            )
        self._pick = PICKS[model_name]

    def answer(self, messages: Sequence[ChatMessage]) -> str:
        """Answer from the last user message."""
        return extract(*_read_ask(messages), self._pick)


def lead_sentences(sentences: Sequence[str], limit_words: int) -> list[int]:
    """Indices of the first sentences that fit the limit; at least one if there is any."""
    left = limit_words
    for index, sentence in enumerate(sentences):
        left -= len(sentence.split())
        if left < 0:
            return list(range(max(1, index)))
    return list(range(len(sentences)))


def extract(text: str, words: int, pick: Pick) -> str:
    """Make an answer of at most `words` words; headings are skipped if there is prose.

    A sentence longer than the limit is cut.
    """
    sentences = split_sentences(text)
    sentences = [sentence for sentence in sentences if not is_heading(sentence)] or sentences
    if words <= TITLE_WORDS:
        # A limit of one word makes `pick` choose exactly one sentence.
        best = pick(sentences, 1)
        return cut_words(sentences[best[0]], words).rstrip(".!?…:;, ") if best else ""
    return cut_words(" ".join(sentences[index] for index in pick(sentences, words)), words)


def last_user_message(messages: Sequence[ChatMessage]) -> ChatMessageUser | None:
    """The user's last message, if there is one."""
    users = (message for message in reversed(messages) if isinstance(message, ChatMessageUser))
    return next(users, None)


def our_metadata(message: ChatMessageUser | None) -> Mapping[str, object]:
    """The metadata that our solvers write into a message; empty for other solvers."""
    metadata = (message.metadata or {}) if message is not None else {}
    own = metadata.get("vivavoce")
    return own if isinstance(own, Mapping) else {}


def _read_ask(messages: Sequence[ChatMessage]) -> tuple[str, int]:
    """The paper's text and the number of words requested."""
    message = last_user_message(messages)
    metadata = our_metadata(message)
    text = message.text if message is not None else ""
    if (source := metadata.get("source")) is not None:
        is_list = isinstance(source, list) and source and isinstance(source[0], list)
        pieces = []
        for pair in source if isinstance(source, list) and is_list else [source]:
            match pair:
                case [int(start), int(end)] if 0 <= start <= end <= len(text):
                    pieces.append(text[start:end])
                case _:
                    raise InputError(
                        f"The message's metadata has the source {source!r}; give [start, end], or "
                        f"a list of such pairs, inside the {len(text)} characters of the message."
                    )
        text = _PARAGRAPHS.join(pieces)
    words = metadata.get("words", DEFAULT_WORDS)
    if not isinstance(words, int) or words < 1:
        raise InputError(f"The message's metadata has the words {words!r}; give an integer from 1.")
    return text, words


PICKS: dict[str, Pick] = {"lead": lead_sentences, "centrality": central_sentences}
"""The ways to choose sentences, by name."""


Key = tuple[str | int, int | None]
"""A sample's id and epoch; None for every epoch."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row in a file of answers."""

    id: StrictStr | StrictInt
    text: str | None
    epoch: Ordinal | None = None


class ReplayAPI(OfflineAPI):
    """Provider that replays the rows of a file; `model_name` is its path, absolute or relative."""

    kind = "replay"

    def open(self, model_name: str) -> None:
        """Read the file; `InputError` names the line of an invalid or repeated row."""
        path = Path(model_name)
        if not path.is_file():
            raise InputError(
                f"{path} is not a file. Name it as replay/FILE, from the current folder."
            )
        self.sha256 = hash_file(path)
        self._answers: dict[Key, str] = {}
        places: dict[Key, str] = {}
        for place, row in read_records(path, _Row):
            key = row.id, row.epoch
            if key in places:
                epoch = "" if row.epoch is None else f" (epoch {row.epoch})"
                raise InputError(
                    f"{place} repeats the id {row.id!r}{epoch} of {places[key]}. Keep one of them."
                )
            self._answers[key], places[key] = row.text or "", place

    def ids(self) -> list[str | int]:
        """List the ids of samples with an answer, in the order of the file."""
        return list(dict.fromkeys(sample_id for sample_id, _ in self._answers))

    def answer(self, messages: Sequence[ChatMessage]) -> str | None:
        """Return the answer for the sample and epoch that the last user message names."""
        metadata = our_metadata(last_user_message(messages))
        match metadata.get("sample_id"), metadata.get("epoch"):
            case (str() | int()) as sample_id, (int() | None) as epoch:
                key = (sample_id, epoch if (sample_id, epoch) in self._answers else None)
            case sample_id, epoch:
                raise InputError(
                    f"replay cannot identify the sample: the message's metadata has the sample id "
                    f"{sample_id!r} and the epoch {epoch!r}. Use a solver of vivavoce, which "
                    "writes them."
                )
        return self._answers.get(key)
