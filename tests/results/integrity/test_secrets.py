"""Keys that somebody forgot: found wherever they may stand, and in nothing else."""

import json
import re
import string
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from detect_secrets.core.plugins.initialize import from_plugin_classname
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.log import read_eval_log, write_eval_log
from tests.servers.commands import only_json, title_logs, viva_here

from vivavoce.results.integrity.secrets import _RULES, find_secrets

KEYS = {
    "OpenAI": "sk-proj-" + "aB3d" * 20,
    "Anthropic": "sk-ant-api03-" + "Ab1_c2D3e4F5g6H7i8J9k0" * 4 + "-x",
    "OpenRouter": "sk-or-v1-" + "0123456789abcdef" * 4,
    "Google": "AIzaSy" + "A1b2C3d4E5" * 3,
    "Groq": "gsk_" + "A1b2C3d4" * 6,
    "xAI": "xai-" + "A1b2C3d4" * 10,
    "Hugging Face": "hf_" + "aB3dE5" * 6,
    "Replicate": "r8_" + "A1b2C3d4" * 4,
    "AWS": "AKIA" + "QXZJ4T7WNB2KLMPR",
    "GitHub": "ghp_" + "a1B2c3" * 6,
    "Slack": "xoxb-" + "123456789012-123456789012-" + "aBcDeFgHiJkLmNoPqRsTuVwX",
    "Stripe": "sk_live_" + "a1B2c3D4" * 3,
    "a certificate": "-----BEGIN " + "PRIVATE KEY-----",
    "Mistral, by its name": "MISTRAL_API_KEY=" + "a1B2c3D4" * 4,
    "Azure, by its name": "AZUREAI_API_KEY: " + "0a1b2c3d" * 4,
    "a configuration, by its name": '{"api_key": "' + "a1B2c3D4" * 4 + '"}',
    "AWS, in quotes": 'aws_secret_access_key = "' + "a1B2c3D4" * 5 + '"',
}
INNOCENT = """
sk-learn-1-5-estimators-of-2024-with-many-words hf_internal_testing_tiny_random_2024_model
skewed-distributions-of-2023-papers-and-2024-papers xai-for-2019-images-of-lungs-and-hearts
pk-fk-joins-in-2021-benchmarks API_KEY=not-a-secret-but-a-word-in-the-manual
sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
"max_tokens": 1234567890123456789012345, token = "the_next_token_of_the_sentence"
https://example.org/api?key=short&secret=also-short arXiv:2401.01234v2 10.1000/abc.2024.1234567890
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of logs, and the round they are of."""
    folder = tmp_path_factory.mktemp("keys")
    title_logs(folder, 3)
    return folder


def spoil(made: Path, logs: Path, key: str) -> tuple[Path, str]:
    """Copy the log with a key in a message; the copy, and the sample that has it."""
    logs.mkdir()
    [path] = (made / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    spoilt = log.samples[0]
    spoilt.messages[0].content = f"{'word ' * 30_000}{key}"
    write_eval_log(log, str(logs / path.name))
    return logs / path.name, str(spoilt.id)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_a_key_of_every_kind_is_found(tmp_path: Path, key: str) -> None:
    (tmp_path / "notes.md").write_text(f"How we ran it:\n\nexport IT={key}\n{INNOCENT}")
    assert [line.partition(" seems ")[0] for line in find_secrets(tmp_path)] == [
        "line 3 of notes.md"
    ]


def test_a_key_is_found_in_forms_notes_ledgers_dumps_journals_sites_and_transcripts(
    made: Path, tmp_path: Path
) -> None:
    key = KEYS["OpenAI"]
    path, sample = spoil(made, tmp_path / "logs", key)
    (tmp_path / "submission.toml").write_text(f"[submission]\nnotes = '''{key}'''\n")
    (tmp_path / "notes.md").write_text(f"How we ran it:\n\nexport IT={key}\n{INNOCENT}")
    (tmp_path / "environment.txt").write_text(f"HOME=/home/me\nTOKEN={key}\nUSER=me\n")
    start = (made / "logs" / "runs.jsonl").read_text()
    (path.parent / "runs.jsonl").write_text(start + json.dumps({"asked": {"by": key}}) + "\n")
    (path.parent / "replies.jsonl").write_text(f"{{}}\n{{}}\n{key}\n")
    site = tmp_path / "site" / "items"
    site.mkdir(parents=True)
    (site / "one.html").write_text(f"<html>\n<p>An answer: {key}</p>\n{INNOCENT}</html>\n")
    (site / "board.json").write_text(f'{{\n"rows": [\n"{key}"\n]}}\n')
    found = [line.partition(" seems ")[0] for line in find_secrets(tmp_path)]
    last = start.count("\n") + 1
    assert found == [
        "line 2 of environment.txt",
        f"samples/{sample}_epoch_1.json of logs/{path.name}",
        "line 3 of logs/replies.jsonl",
        f"line {last} of logs/runs.jsonl",
        "line 3 of notes.md",
        "line 3 of site/items/board.json",
        "line 2 of site/items/one.html",
        "line 2 of submission.toml",
    ]


PATTERNS = [pattern for name in _RULES for pattern in from_plugin_classname(name).denylist]
PRINTED = string.ascii_letters + string.digits + string.punctuation + " é–中"


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.pattern[:20])
@given(st.data())
@settings(max_examples=10, deadline=None)
def test_whatever_a_rule_knows_as_a_key_is_found(pattern: re.Pattern[str], data) -> None:
    key = data.draw(st.from_regex(pattern, fullmatch=True, alphabet=PRINTED))
    with TemporaryDirectory() as folder:
        (Path(folder) / "notes.txt").write_text(f"{INNOCENT}{key}\n", "utf-8")
        assert list(find_secrets(Path(folder))) != []


def test_signs_of_several_bytes_count_as_one_between_a_name_and_its_key(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text(f"aws {'密' * 12} key '{'a1B2c3D4' * 5}'", "utf-8")
    assert len(list(find_secrets(tmp_path))) == 1


def test_words_hashes_and_addresses_are_no_keys(made: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(INNOCENT)
    assert list(find_secrets(tmp_path)) == list(find_secrets(made)) == []


def test_logs_and_sites_with_a_key_are_refused(made: Path, tmp_path: Path) -> None:
    path, sample = spoil(made, tmp_path / "logs", KEYS["Anthropic"])
    done = viva_here("board", "verify", path.parent, "--json", expect=1)
    finding = f"samples/{sample}_epoch_1.json of {path.name} seems to contain a key of a provider."
    assert only_json(done.stdout)["secrets"] == [finding]
    assert f"refused  {finding}" in viva_here("board", "verify", path.parent, expect=1).stdout
    site = tmp_path / "site"
    build = ("board", "build", made / "logs", "--out", site)
    viva_here(*build)
    (site / "live").mkdir()
    (site / "live" / "notes.txt").write_text(f"\n{KEYS['OpenRouter']}\n")
    finding = "line 2 of live/notes.txt seems to contain a key of a provider."
    done = viva_here(*build, expect=2)
    assert "Do not publish" in done.stderr
    assert finding in done.stderr.replace("\n", " ")
