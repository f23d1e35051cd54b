"""Files written whole, read with care, and known by their hashes."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce import store
from vivavoce.columns import hash_rows
from vivavoce.errors import DamagedError, InputError, LockedError, VivaError

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_fast_json_is_read_back_as_it_was_and_hides_no_character(value: object) -> None:
    written = store.dumps_fast(value)
    assert written.isascii()
    assert json.loads(written) == value
    assert store.loads_fast(written) == value


def test_fast_json_has_one_spelling_and_stands_what_other_writers_do_not() -> None:
    assert store.dumps_fast({"b": 1, "a": "é"}) == b'{"a":"\\u00e9","b":1}'
    for odd in ({"name": "half \ud800"}, {"n": 2**70}):
        assert store.loads_fast(store.dumps_fast(odd)) == odd
    with pytest.raises(ValueError, match="Expecting"):
        store.loads_fast(b"{")


def test_canonical_json_has_one_spelling_for_one_value() -> None:
    assert store.canonical_json({"b": [1, None], "a": "é"}) == '{"a":"é","b":[1,null]}'
    assert store.hash_of({"a": 1, "b": 2}) == store.hash_of({"b": 2, "a": 1})
    assert store.hash_of([1]) != store.hash_of(["1"])


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_json_number_is_never_written(tmp_path: Path, number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        store.write_json(tmp_path / "x.json", {"value": number})
    with pytest.raises(ValueError, match="JSON"):
        store.write_jsonl(tmp_path / "x.jsonl", [{"value": number}])
    assert list(tmp_path.iterdir()) == []


def test_hashes_of_files_and_rows(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    # sha256 of nothing
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert store.hash_file(tmp_path / "empty") == hash_rows([]) == empty
    rows = [{"a": 1}, {"a": 2}]
    assert hash_rows(rows) != hash_rows(rows[::-1])
    assert hash_rows([{"a": (1, 2)}]) == hash_rows([{"a": [1, 2]}])


@given(value=JSON_VALUES)
def test_json_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = tmp_path_factory.mktemp("json") / "x.json"
    store.write_json(path, value)
    assert store.read_json(path) == value
    assert path.read_bytes().endswith(b"\n")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"1" * 5_000, b'{"a": 1}x']
)
def test_unreadable_json_names_the_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.json is not (readable JSON|UTF-8 text)"):
        store.read_json(path)


def test_what_is_not_there_or_a_folder_is_named(tmp_path: Path) -> None:
    for read in (store.read_json, lambda path: list(store.read_jsonl(path))):
        with pytest.raises(InputError, match="missing does not exist"):
            read(tmp_path / "missing")
        with pytest.raises(InputError, match="cannot be read"):
            read(tmp_path)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_json_lines_are_read_plain_or_gzip_whatever_the_name(
    tmp_path: Path, name: str, compress: Any
) -> None:
    path = tmp_path / name
    path.write_bytes(compress(b'{"a": 1}\r\n\n  \n{"a": 2}'))
    assert list(store.read_jsonl(path)) == [(1, {"a": 1}), (4, {"a": 2})]


@pytest.mark.parametrize(
    "line",
    [
        b"[1]",
        b"{",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b"\xff",
        b'{"a":' * 100_000,
    ],
)
def test_a_bad_line_is_named_by_file_and_number(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"a": 1}\n' + line)
    with pytest.raises(InputError, match=r"x\.jsonl:2 is not"):
        list(store.read_jsonl(path))


def test_a_gzip_file_that_was_cut_or_altered_is_not_taken_for_whole(tmp_path: Path) -> None:
    content = gzip.compress(b"".join(b'{"n": %d}\n' % n for n in range(20_000)))
    path = tmp_path / "x.jsonl.gz"
    for broken in (content[:-4_000], content[:3_000] + b"\xff" * 100 + content[3_100:]):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=r"x\.jsonl\.gz"):
            list(store.read_jsonl(path))


SCHEMA = pa.schema([("id", pa.string()), ("n", pa.int32()), ("list", pa.list_(pa.string()))])


def test_parquet_comes_back_and_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    rows = [{"id": "a", "n": 1, "list": ["x", "y"]}, {"id": "b", "n": None, "list": []}]
    for name in ("one", "two"):
        store.write_parquet(tmp_path / name, rows, SCHEMA)
    assert store.read_parquet(tmp_path / "one") == rows
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    store.write_parquet(tmp_path / "none", [], SCHEMA)
    assert store.read_parquet(tmp_path / "none") == []


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"x" * 100 + b"PAR1"])
def test_a_damaged_parquet_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(DamagedError, match=r"x\.parquet"):
        store.read_parquet(tmp_path / "x.parquet")


def test_a_write_that_fails_leaves_the_old_file_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.txt"
    store.write_text(path, "old")

    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(VivaError, match=r"x\.txt could not be written: No space left") as caught:
        store.write_text(path, "new")
    assert caught.value.exit_code == 1
    assert [p.name for p in tmp_path.iterdir()] == ["x.txt"]
    assert path.read_text() == "old"


def test_a_seal_shows_any_change(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    store.write_sealed(path, {"n": 1, "names": ("a", "b")})
    assert store.read_sealed(path) == {"n": 1, "names": ["a", "b"]}
    sealed = json.loads(path.read_text())
    for changed in ({**sealed, "n": 2}, {**sealed, "more": 1}, {"n": 1}, [], {}, sealed["seal"]):
        path.write_text(json.dumps(changed))
        with pytest.raises(DamagedError, match=r"x\.json differs from what was written\. Mend it"):
            store.read_sealed(path, "Mend it.")
    path.unlink()
    with pytest.raises(DamagedError, match=r"x\.json does not exist\. Mend it"):
        store.read_sealed(path, "Mend it.")


def test_a_shard_is_done_only_as_long_as_content_config_and_inputs_stand(tmp_path: Path) -> None:
    path = tmp_path / "shard"
    path.write_bytes(b"rows")
    assert store.read_done(path, config="c", inputs="i") is None
    store.mark_done(path, config="c", inputs="i", extra={"n": 4})
    found = store.read_done(path, config="c", inputs="i")
    assert found is not None
    assert found["n"] == 4
    assert store.read_done(path, config="other", inputs="i") is None
    assert store.read_done(path, config="c", inputs="other") is None
    path.write_bytes(b"r0ws")
    assert store.read_done(path, config="c", inputs="i") is None
    path.unlink()
    assert store.read_done(path, config="c", inputs="i") is None


def test_a_lock_is_held_by_one_and_names_its_holder(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with store.lock(folder), pytest.raises(LockedError) as caught, store.lock(folder):
        pass
    assert caught.value.pid == os.getpid()
    assert caught.value.exit_code == 75
    assert str(os.getpid()) in str(caught.value)
    with store.lock(folder):  # free again
        pass
    assert (folder / store.LOCK_NAME).read_bytes() == b""


def test_a_lock_whose_holder_has_not_signed_it_is_held_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_OWNER_PAUSE", 0)
    with store.lock(tmp_path):
        (tmp_path / store.LOCK_NAME).write_bytes(b"")
        with pytest.raises(LockedError, match="another process"), store.lock(tmp_path):
            pass


def test_the_hash_of_a_tree_passes_over_locks_and_temporaries(tmp_path: Path) -> None:
    store.write_text(tmp_path / "deep" / "x.txt", "x")
    before = store.hash_tree(tmp_path)
    assert list(before) == ["deep/x.txt"]
    with store.lock(tmp_path):
        (tmp_path / ".y.txt.tmp").touch()
        assert store.hash_tree(tmp_path) == before
    store.write_text(tmp_path / "y.txt", "y")
    assert list(store.hash_tree(tmp_path)) == ["deep/x.txt", "y.txt"]
