"""The provider `extractive`: answers made of sentences of the paper, without a model.

`extractive/lead` answers with the opening of the paper, `extractive/centrality` with its most
central sentences. Both read the last user message. Our solvers say in its metadata which part of
it is the paper's text and how long the answer should be:

    {"vivavoce": {"source": [start, end], "words": 200}}

`source` may also be a list of such pairs, one an excerpt of the text. Without it, the whole message
is the text and 200 words are asked for. Tokens on the log are words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from inspect_ai.model import (
    ChatMessage,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from vivavoce.errors import InputError
from vivavoce.retrieval.centrality import central_sentences
from vivavoce.text.sentences import cut_words, is_heading, split_sentences

DEFAULT_WORDS = 200
TITLE_WORDS = 20
"""An answer of at most this many words is one sentence, cut and without its final mark."""

_PARAGRAPHS = "\n\n"

Pick = Callable[[Sequence[str], int], list[int]]


class ExtractiveAPI(ModelAPI):
    """Answers with sentences of the input; `model_name` is `lead` or `centrality`."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        if model_name not in PICKS:
            raise InputError(
                f"There is no model extractive/{model_name}. "
                f"There are: {', '.join(f'extractive/{name}' for name in PICKS)}."
            )
        self._pick = PICKS[model_name]

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer from the last user message."""
        text, words = _read_ask(input)
        answer = extract(text, words, self._pick)
        output = ModelOutput.from_content(f"extractive/{self.model_name}", answer)
        output.usage = count_words(input, answer)
        return output


@modelapi(name="extractive")
def extractive() -> type[ModelAPI]:
    """The extractive baselines, `extractive/lead` and `extractive/centrality`."""
    return ExtractiveAPI


def lead_sentences(sentences: Sequence[str], limit_words: int) -> list[int]:
    """Indexes of the first sentences that fit into the limit; at least one if there is any."""
    left = limit_words
    for index, sentence in enumerate(sentences):
        left -= len(sentence.split())
        if left < 0:
            return list(range(max(1, index)))
    return list(range(len(sentences)))


def extract(text: str, words: int, pick: Pick) -> str:
    """Make an answer of at most `words` words; headings are passed over where there is prose.

    A single sentence that is longer than the answer may be is cut.
    """
    sentences = split_sentences(text)
    sentences = [sentence for sentence in sentences if not is_heading(sentence)] or sentences
    if words <= TITLE_WORDS:
        # A limit of one word leaves room for one sentence only.
        best = pick(sentences, 1)
        return cut_words(sentences[best[0]], words).rstrip(".!?…:;, ") if best else ""
    return cut_words(" ".join(sentences[index] for index in pick(sentences, words)), words)


def count_words(messages: Sequence[ChatMessage], answer: str) -> ModelUsage:
    """The usage of a call, in words: no tokenizer has to be downloaded."""
    read = sum(len(message.text.split()) for message in messages)
    written = len(answer.split())
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)


def last_user_message(messages: Sequence[ChatMessage]) -> ChatMessageUser | None:
    """The last message of the user, if there is one."""
    users = (message for message in reversed(messages) if isinstance(message, ChatMessageUser))
    return next(users, None)


def our_metadata(message: ChatMessageUser | None) -> Mapping[str, object]:
    """Metadata that our solvers wrote into a message; empty for other solvers."""
    metadata = (message.metadata or {}) if message is not None else {}
    ours = metadata.get("vivavoce")
    return ours if isinstance(ours, Mapping) else {}


def _read_ask(messages: Sequence[ChatMessage]) -> tuple[str, int]:
    """The paper's text and the number of words asked for."""
    message = last_user_message(messages)
    ours = our_metadata(message)
    text = message.text if message is not None else ""
    if (source := ours.get("source")) is not None:
        text = _PARAGRAPHS.join(text[start:end] for start, end in _read_source(source, len(text)))
    words = ours.get("words", DEFAULT_WORDS)
    if not isinstance(words, int) or words < 1:
        raise InputError(f"The message's metadata has the words {words!r}; give an integer from 1.")
    return text, words


def _read_source(source: object, length: int) -> list[tuple[int, int]]:
    """The places of the paper's text in a message of this length."""
    pairs = (
        source if isinstance(source, list) and source and isinstance(source[0], list) else [source]
    )
    spans = []
    for pair in pairs:
        match pair:
            case [int(start), int(end)] if 0 <= start <= end <= length:
                spans.append((start, end))
            case _:
                raise InputError(
                    f"The message's metadata has the source {source!r}; give [start, end], or a "
                    f"list of such pairs, inside the {length} characters of the message."
                )
    return spans


PICKS: dict[str, Pick] = {"lead": lead_sentences, "centrality": central_sentences}
"""Ways to choose sentences, by name."""
