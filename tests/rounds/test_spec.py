"""What a round spec may ask for, and what is said when it asks for something else."""

from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from vivavoce.errors import InputError
from vivavoce.records import Window
from vivavoce.rounds import Options, RoundSpec, parse_spec, read_spec
from vivavoce.tasks.writing.build import WritingOptions

FAMILIES = {"writing": WritingOptions}
TOML = """
[round]
id = "2024-h2"
window = {start = 2024-07-01, end = "2025-01-01"}
families = ["writing"]

[writing]
splits = [0.6, 0.2, 0.2]
"""
VALUES: dict[str, Any] = {
    "round": {
        "id": "2024-h2",
        "window": {"start": "2024-07-01", "end": "2025-01-01"},
        "families": ["writing"],
    }
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The values with one of them changed; `path` as in round.window.start."""
    values = deepcopy(VALUES)
    *tables, key = path.split(".")
    table = values
    for name in tables:
        table = table.setdefault(name, {})
    table[key] = value
    return values


def refusal(path: str, value: Any) -> str:
    with pytest.raises(InputError) as caught:
        parse_spec(changed(path, value), FAMILIES, where="spec.toml")
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_a_spec_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(TOML)
    spec = read_spec(tmp_path / "spec.toml", FAMILIES)
    assert spec.round.id == "2024-h2"
    assert spec.window == Window(date(2024, 7, 1), date(2025, 1, 1))
    assert spec.families == {"writing": WritingOptions(splits=(0.6, 0.2, 0.2))}
    assert (spec.round.seed, spec.round.parent, spec.round.sealed) == (0, None, False)


def test_defaults_are_filled_in_before_the_spec_is_hashed() -> None:
    def parsed(path: str, value: Any) -> RoundSpec:
        return parse_spec(changed(path, value), FAMILIES)

    plain = parse_spec(VALUES, FAMILIES)
    assert plain.canonical()["writing"] == {
        "settings": ["base", "random", "coauthor", "mixed", "title_only", "leave_one_out"],
        "demos": 2,
        "splits": [0.72, 0.19, 0.09],
        "author_sampling": "uniform",
        "doubtful": "leave_out",
        "headline": None,
        "within": "all",
        "max_overlap": 0.2,
    }
    assert parsed("round.seed", 0).sha256 == plain.sha256
    assert parsed("round.window.start", date(2024, 7, 1)).sha256 == plain.sha256
    assert parsed("round.seed", 1).sha256 != plain.sha256


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("update.qota", "[update] qota is unknown. Did you mean quota?"),
        ("roud", "[roud] is unknown. Did you mean round?"),
        ("round.sede", "[round] sede is unknown. Did you mean seed?"),
        ("writing.split", "[writing] split is unknown. Did you mean splits?"),
        (
            "writing.zzz",
            "There are: settings, demos, splits, author_sampling, doubtful, headline, within, "
            "max_overlap",
        ),
    ],
)
def test_an_unknown_key_names_the_nearest_known_one(path: str, nearest: str) -> None:
    message = refusal(path, {})
    assert message.startswith("spec.toml: ")
    assert nearest in message


@pytest.mark.parametrize(
    "name",
    ["", "2024 h2", "../up", "a/b", "/abs", ".hidden", "-dash", "Upper", "CON", "a" * 65, "a\n",
     "a\x00", "ä", 7],
)  # fmt: skip
def test_an_id_that_could_not_be_a_folder_everywhere_is_refused(name: Any) -> None:
    assert "[round] id" in refusal("round.id", name)


@pytest.mark.parametrize("name", ["a", "0", "2024-h2.v1_b", "a" * 64])
def test_an_id_may_have_64_small_letters_digits_dots_dashes_and_underscores(name: str) -> None:
    assert parse_spec(changed("round.id", name), FAMILIES).round.id == name


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("round.window.start", "2025-01-01", "start must be before end"),  # empty
        ("round.window.start", "2025-01-02", "start must be before end"),
        ("round.window.end", "2025-02-29", "[round] window.end"),  # no leap year
        ("round.window.end", "2025-1-1", "YYYY-MM-DD"),
        ("round.window.end", 2025, "YYYY-MM-DD"),
        # A moment is another day elsewhere.
        ("round.window.end", "2025-01-01T00:00:00+02:00", "YYYY-MM-DD"),
        ("update.quota", -1, "[update] quota: "),
        ("update.keep_days", 0, "[update] keep_days: "),
        ("round.families", [], "[round] families"),
        ("round.families", ["writting"], "there is no family 'writting'. There are: writing"),
        ("round.seed", "x", "[round] seed"),
        ("writing.settings", ["everything"], "[writing] settings"),
        ("writing.splits", [0.5, 0.5], "[writing] splits"),
        ("writing.splits", [0.5, 0.4, 0.2], "sum to 1"),
        ("writing.splits", [float("nan"), 0.5, 0.5], "sum to 1"),
    ],
)
def test_a_value_that_is_not_allowed_is_named(path: str, value: Any, said: str) -> None:
    message = refusal(path, value)
    assert said in message
    assert message.startswith("spec.toml: ")


def test_every_missing_key_is_named_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_spec({}, FAMILIES)
    for key in ("id", "window", "families"):
        assert f"[round] {key}: " in str(caught.value)


@pytest.mark.parametrize("content", [b"[round", b"\xff\xfe", b"a = 1\na = 2"])
def test_a_file_that_is_no_toml_or_not_there_is_named(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(InputError, match=r"spec\.toml does not exist"):
        read_spec(tmp_path / "spec.toml", FAMILIES)
    (tmp_path / "spec.toml").write_bytes(content)
    with pytest.raises(InputError, match=r"spec\.toml is not (readable TOML|UTF-8 text)"):
        read_spec(tmp_path / "spec.toml", FAMILIES)
    with pytest.raises(InputError, match="cannot be read"):
        read_spec(tmp_path, FAMILIES)


def test_a_table_of_a_family_that_is_not_asked_for_is_not_passed_over() -> None:
    with pytest.raises(InputError, match=r"\[other\], but other is not among the families"):
        parse_spec(changed("other", {}), FAMILIES | {"other": Options})


def test_what_updates_do_is_in_a_table_of_its_own() -> None:
    spec = parse_spec(changed("update", {"quota": 100, "keep_days": 365}), FAMILIES)
    assert (spec.update.quota, spec.update.keep_days) == (100, 365)
    assert (spec.update.inactive_days, spec.update.anchors) == (None, 0)
    asked = {"quota": 100, "keep_days": 365, "inactive_days": None, "anchors": 0, "items": "fresh"}
    assert spec.canonical()["update"] == asked
    assert parse_spec(spec.canonical(), FAMILIES) == spec


def test_a_spec_that_asks_nothing_of_updates_has_the_hash_it_had_without_the_table() -> None:
    plain, empty = parse_spec(VALUES, FAMILIES), parse_spec(changed("update", {}), FAMILIES)
    assert "update" not in plain.canonical()
    assert empty.sha256 == plain.sha256
