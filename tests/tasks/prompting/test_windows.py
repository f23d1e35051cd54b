"""The model table, the two ways of counting tokens, and providers that know better."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tasks.samples import train_tokenizer
from tokenizers import Tokenizer

from vivavoce.errors import InputError
from vivavoce.tasks.prompting.windows import (
    TABLE_VARIABLE,
    UNKNOWN,
    EstimatedCounter,
    FileCounter,
    TokenCounter,
    find_model,
    measure,
    model_table,
    token_counter,
)

TEXT = "Naïve readers — and 读者 — split words, lines\nand    spaces. " * 3


@pytest.fixture(scope="module")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.json"
    tokenizer = train_tokenizer(path, TEXT)
    tokenizer.enable_truncation(5)  # a file may carry this; it must not shorten a count
    tokenizer.save(str(path))
    return path


def table(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = folder / "models.toml"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv(TABLE_VARIABLE, str(path))
    return path


def test_a_token_is_estimated_as_three_bytes() -> None:
    counter = EstimatedCounter()
    assert counter.is_estimated
    assert [counter.count(text) for text in ("", "a", "abc", "abcd")] == [0, 1, 1, 2]
    assert counter.count("é") == 1  # 2 bytes
    assert counter.count("读者") == 2  # 6 bytes
    assert counter.count("😀") == 2  # 4 bytes
    assert counter.count("\ud800") == 1  # a lone surrogate


@given(st.text(), st.integers(0, 40))
def test_the_first_tokens_of_a_text_are_no_more_than_asked_for(text: str, tokens: int) -> None:
    counter = EstimatedCounter()
    end = counter.end_of(text, tokens)
    assert counter.count(text[:end]) <= tokens
    # The next character would be one too many.
    assert end == len(text) or len(text[: end + 1].encode()) > 3 * tokens


def test_a_file_counts_as_its_tokenizer_does(tokenizer_file: Path) -> None:
    counter = FileCounter(tokenizer_file)
    own = Tokenizer.from_file(str(tokenizer_file))
    own.no_truncation()
    encoded = own.encode(TEXT, add_special_tokens=False)
    assert not counter.is_estimated
    assert counter.count(TEXT) == len(encoded.ids) > 20
    assert counter.end_of(TEXT, 10) == encoded.offsets[9][1]
    assert counter.end_of(TEXT, 0) == 0
    assert counter.end_of(TEXT, 10**6) == len(TEXT)


def test_a_broken_tokenizer_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    with pytest.raises(InputError, match=r"tokenizer\.json"):
        FileCounter(path)
    path.write_text('{"model": ')
    with pytest.raises(InputError, match=r"tokenizer\.json"):
        FileCounter(path)


def test_an_unknown_model_has_no_window_and_is_estimated() -> None:
    entry = find_model("openai-api/lab/never-heard-of")
    assert entry == UNKNOWN
    assert entry.window is None
    assert token_counter(entry.tokenizer).is_estimated


def test_the_users_table_comes_before_the_shipped_one(
    tmp_path: Path, tokenizer_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own.json").write_bytes(tokenizer_file.read_bytes())
    table(
        tmp_path,
        """
        [[model]]
        name = "openai/gpt-4o-mini"
        window = 4096
        tokenizer = "own.json"
        overhead = 12
        [[model]]
        name = "lab/*"
        """,
        monkeypatch,
    )
    own = find_model("openai/gpt-4o-mini")
    assert (own.window, own.tokenizer) == (4096, tmp_path / "own.json")
    assert (own.overhead, find_model("lab/anything").overhead) == (12, 0)
    assert find_model("openai/gpt-4o").window == 128_000
    assert find_model("lab/anything").window is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[[model",
        '[model]\nname = "a"\nwindow = 4096',
        'model = "a"',
        "[[model]]\nwindow = 4096",
        '[[model]]\nname = "a"\nwindow = 0',
        '[[model]]\nname = "a"\nwindow = "4096"',
        '[[model]]\nname = "a"\ncontext = 4096',
    ],
)
def test_a_bad_table_is_named(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path, text, monkeypatch)
    with pytest.raises(InputError, match=str(path)):
        model_table()


def test_a_table_that_is_no_text_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path, "", monkeypatch)
    path.write_bytes(b"\xff\xfe[[model]]")
    with pytest.raises(InputError, match=str(path)):
        model_table()
    path.unlink()
    with pytest.raises(InputError, match=str(path)):
        model_table()


class Knowing:
    """A provider that tells its window, as a model in this process can."""

    def __init__(self, window: int, overhead: int, counter: TokenCounter) -> None:
        self.window, self.overhead, self.counter = window, overhead, counter


def test_a_provider_that_knows_its_window_is_believed_before_the_table(
    tmp_path: Path, tokenizer_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path, '[[model]]\nname = "*"\nwindow = 99\noverhead = 7', monkeypatch)
    counter = FileCounter(tokenizer_file)
    knowing = Knowing(512, 30, counter)
    told = measure("lab/knowing", knowing)
    assert (told.window, told.overhead, told.counter) == (512, 30, counter)
    assert measure("lab/knowing", knowing, context=100).window == 100
    assert measure("lab/knowing", knowing, context=9000).window == 512  # there is no more


def test_a_provider_that_knows_nothing_is_looked_up_in_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table(tmp_path, '[[model]]\nname = "lab/*"\nwindow = 99\noverhead = 7', monkeypatch)
    found = measure("lab/any", object())
    assert (found.window, found.overhead, found.counter.is_estimated) == (99, 7, True)
    assert measure("lab/any", object(), context=9000).window == 9000
