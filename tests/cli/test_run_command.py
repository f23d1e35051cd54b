"""`viva run` and `inspect eval` as a user types them."""

import json
import os
import shutil
from pathlib import Path
from time import sleep

import pytest
from click.testing import Result
from inspect_ai.log import list_eval_logs, read_eval_log
from tests.servers.commands import INSPECT, only_json, run, small_round, viva, viva_here

from vivavoce.results.board.building import leaderboard
from vivavoce.rounds import Round
from vivavoce.store import lock
from vivavoce.tasks import find_family
from vivavoce.tasks.family import open_prompts

ITEMS = 4


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Round:
    return small_round(tmp_path_factory.mktemp("round"), papers=ITEMS)


def baseline(opened: Round, logs: Path, *options: str | Path) -> Result:
    model = ("--model", "extractive/lead")
    return viva("run", "title", "--round", opened.folder, "--logs", logs, *model, *options)


def test_several_models_tasks_and_methods_in_one_command(
    small: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = tmp_path / "answers.jsonl"
    gold = [
        {"id": row["id"], "text": row["reference"]} for row in small.items("writing", "abstract")
    ]
    answers.write_text("\n".join(map(json.dumps, gold[1:])))
    command = (
        *("run", "title", "vivavoce/abstract", "--round", small.folder, "--logs", "my logs"),
        *("--model", "extractive/lead", "--model", "replay/answers.jsonl"),
        *("--method", "direct", "--method", "oracle", "--json"),
    )
    monkeypatch.chdir(tmp_path)
    report = only_json(viva(*command).stdout)
    assert report["failed"] == report["set_aside"] == []
    assert len(report["logs"]) == 2 * 3
    assert all(Path(path).is_file() for path in report["logs"])
    rows = {
        (row["task"], row["model"]): row
        for row in leaderboard(tmp_path / "my logs", resamples=0).rows
        if row["metric"] == "rougeL"
    }
    abstracts = rows["abstract", "replay/answers.jsonl"]
    assert (abstracts["value"], abstracts["missing"], abstracts["n"]) == (0.75, 1, 4)
    assert rows["abstract", "none"]["value"] == rows["title", "none"]["value"] == 1.0
    # The same command again does no work and gives the same logs.
    assert only_json(viva(*command).stdout) == report


def test_a_task_without_items_in_a_setting_is_skipped(small: Round, tmp_path: Path) -> None:
    command = ("--round", small.folder, "--setting", "title_only", "--method", "null", "--json")
    done = viva_here("run", "title", "abstract", *command, "--logs", tmp_path / "both")
    report = json.loads(done.stdout)
    assert len(report["logs"]) == 1
    assert ["title has no setting 'title_only'" in line for line in report["skipped"]] == [True]


def test_a_prompt_that_a_method_lacks_is_refused_at_once(small: Round, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    shutil.copytree(find_family("writing").folder / "prompts", prompts)
    (prompts / "rag.abstract.md.j2").unlink()
    done = viva_here(
        *("run", "abstract", "--round", small.folder, "--logs", tmp_path / "logs"),
        *("--model", "extractive/lead", "--method", "rag", "--prompts", prompts),
        expect=2,
    )
    assert "The method rag has no prompt for abstract" in done.output
    assert not list(tmp_path.glob("logs/*.eval"))


def test_an_argument_that_an_option_decides_is_refused(small: Round, tmp_path: Path) -> None:
    command = ("run", "abstract", "--round", small.folder, "--logs", tmp_path / "logs")
    given = ("--model", "extractive/lead", "-T", "setting=title_only")
    done = viva_here(*command, *given, expect=2)
    assert "-T setting=title_only has no effect here. Give --setting instead." in done.output


@pytest.mark.slow
def test_inspect_runs_the_sample_round_right_after_install(tmp_path: Path) -> None:
    env = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    sample = ("-T", "round=sample", "--display", "plain", "--limit", "2")
    lead = ("vivavoce/title", "vivavoce/abstract", "--model", "extractive/lead")
    oracle = ("vivavoce/title", "--model", "none", "--solver", "vivavoce/oracle")
    settings = ("-T", "setting=base", "-T", "context=2200")
    for words in ((*lead, *settings, "--log-dir", "lead"), (*oracle, "--log-dir", "oracle")):
        done = run(INSPECT, "eval", *words, *sample, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stdout + done.stderr
    rows = leaderboard(tmp_path / "lead", partial=True, resamples=0).rows
    assert [(row["task"], row["n"], row["valid"]) for row in rows if row["metric"] == "rougeL"] == [
        ("abstract", 2, 1.0),
        ("title", 2, 1.0),
    ]
    assert all("context=2200" in row["decoding"] for row in rows)
    row = leaderboard(tmp_path / "oracle", partial=True, resamples=0).rows[0]
    assert (row["round"], row["n"], row["value"]) == ("sample-2024", 2, 1.0)
    assert (row["method"], row["model"], row["rank"]) == ("oracle", "none", None)
    # The second run found the round, and nothing half-built was left beside it.
    assert len(list((tmp_path / "cache" / "vivavoce").iterdir())) == 1
    without = run(INSPECT, "eval", *oracle, cwd=tmp_path, env=env)
    assert without.returncode == 1
    assert (
        without.stdout.strip()
        == "Name a round: -T round=FOLDER, or -T round=sample for the sample papers."
    )


def test_context_cuts_the_paper_and_the_log_says_so(small: Round, tmp_path: Path) -> None:
    assert baseline(small, tmp_path / "logs", "--context", "1500").exit_code == 0
    [info] = list_eval_logs(str(tmp_path / "logs"))
    for sample in read_eval_log(info).samples or []:
        assert [cut["slot"] for cut in sample.metadata["fit"]["cuts"]] == ["content"]
        assert sample.metadata["fit"]["tokens"] <= 1500 - 128


def test_prompts_of_ones_own_make_a_row_of_their_own(small: Round, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "title.md.j2").write_text("Mine: {{ content }} {{ abstract }} {{ words }}")
    assert baseline(small, tmp_path / "logs").exit_code == 0
    assert baseline(small, tmp_path / "logs", "--prompts", prompts).exit_code == 0
    rows = leaderboard(tmp_path / "logs", resamples=0).rows
    assert {row["alias"]: row["prompt_hash"][:4] for row in rows}.keys() == {None, "prompts"}
    own = next(row["prompt_hash"] for row in rows if row["alias"])
    shipped = next(row["prompt_hash"] for row in rows if not row["alias"])
    shown = viva("board", "show", tmp_path / "logs").stdout
    assert "extractive/lead (prompts)" in shown
    for name in ("prompts", "extractive/lead (prompts)", f"extractive/lead ({own[:8]})"):
        done = viva_here(
            "board",
            "compare",
            f"extractive/lead ({shipped[:8]})",
            name,
            "--logs",
            tmp_path / "logs",
        )
    (prompts / "title.md.j2").write_text("Mine, without the abstract: {{ content }}")
    done = baseline(small, tmp_path / "logs", "--prompts", prompts)
    assert (done.exit_code, "{{ abstract }}" in done.stderr) == (2, True)


def test_unchanged_templates_are_the_same_run_by_any_name(small: Round, tmp_path: Path) -> None:
    logs, copied = tmp_path / "logs", tmp_path / "copied"
    shutil.copytree(open_prompts("writing", None).folder, copied)
    assert baseline(small, logs).exit_code == 0
    before = sorted(logs.glob("*.eval"))
    assert baseline(small, logs, "--prompts", copied, "--as", "my copy").exit_code == 0
    assert sorted(logs.glob("*.eval")) == before
    other = tmp_path / "other"
    assert baseline(small, other, "--as", "plain one").exit_code == 0
    assert "extractive/lead (plain one)" in viva("board", "show", other).stdout


def test_a_log_cut_short_is_set_aside_and_made_again(small: Round, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    assert baseline(small, logs).exit_code == 0
    [path] = logs.glob("*.eval")
    path.write_bytes(path.read_bytes()[:3_000])
    done = baseline(small, logs)
    assert done.exit_code == 0
    assert f"{path.name}.damaged" in done.stderr
    assert (logs / f"{path.name}.damaged").stat().st_size == 3_000
    assert leaderboard(logs, resamples=0).rows[0]["n"] == ITEMS


def test_two_runs_do_not_write_into_one_folder(small: Round, tmp_path: Path) -> None:
    with lock(tmp_path / "logs"):
        done = baseline(small, tmp_path / "logs")
    assert done.exit_code == 75
    assert str(os.getpid()) in done.stderr


def test_a_round_and_its_prompts_are_known_by_content_wherever_they_are(
    small: Round, tmp_path: Path
) -> None:
    prompts = find_family("writing").folder / "prompts"
    made = []
    for place in ("first", "second"):
        shutil.copytree(small.folder, tmp_path / place / "round")
        shutil.copytree(prompts, tmp_path / place / "prompts")
        with (tmp_path / place / "prompts" / "title.md.j2").open("a") as template:
            template.write("Be brief.\n")
        done = viva(
            *("run", "title", "--round", tmp_path / place / "round", "--logs", tmp_path / "logs"),
            *("--prompts", tmp_path / place / "prompts", "--model", "extractive/lead", "--json"),
        )
        made.append(only_json(done.stdout)["logs"])
        shutil.rmtree(tmp_path / place)
    assert len(made[0]) == 1
    assert made[0] == made[1]  # the second run found the log finished


def test_corrected_answers_are_another_run_and_take_the_row_of_the_first(
    small: Round, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gold = {row["id"]: row["reference"] for row in small.items("writing", "title")}
    command = ("run", "title", "--round", small.folder, "--logs", "logs", "--cache")
    wrong = gold | dict.fromkeys(sorted(gold)[:3], "zzz")
    for texts, value, logs in ((wrong, 0.25, 1), (gold, 1.0, 2), (gold, 1.0, 2), (wrong, 0.25, 3)):
        rows = [{"id": item, "text": text} for item, text in texts.items()]
        Path("a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        sleep(1)  # logs state the second in which they began
        done = viva(*command, "--model", "replay/a.jsonl")
        assert "replay/a.jsonl answers 4 of 4 items of title." in done.stderr
        board = leaderboard(Path("logs"), resamples=0)
        assert [row["value"] for row in board.rows if row["metric"] == "rougeL"] == [value]
        assert len(list(Path("logs").glob("*.eval"))) == logs
    assert ["is an earlier log of the same row" in note for note in board.notes] == [True, True]


def test_clean_only_leaves_items_that_no_model_can_have_seen(small: Round, tmp_path: Path) -> None:
    dates = sorted(row["published"] for row in small.items("writing", "title"))
    answers = tmp_path / "answers.jsonl"
    rows = [{"id": row["id"], "text": "A title"} for row in small.items("writing", "title")]
    answers.write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "cutoffs.toml").write_text(
        f'[[model]]\nname = "replay/*"\ncutoff = "{dates[0][:10]}"\n'
    )
    model = ("--model", f"replay/{answers}", "--model", "extractive/lead", "--clean-only")
    command = ("run", "title", "--round", small.folder, "--logs", tmp_path / "logs", *model)
    unknown = viva_here(*command, expect=2)
    assert "The training cutoff of replay/" in unknown.stderr
    viva_here(*command, "--cutoffs", tmp_path / "cutoffs.toml", "--margin", "0")
    later = sum(date > dates[0] for date in dates)
    assert 0 < later < ITEMS
    rows = [r for r in leaderboard(tmp_path / "logs", resamples=0).rows if r["metric"] == "rougeL"]
    # Both answered the same items, and no reader takes them for the whole.
    assert {row["n"] for row in rows} == {later}
    assert {row["setting"] for row in rows} == {f"base (clean, {later} of {ITEMS})"}
    assert {row["model"].partition("/")[0] for row in rows} == {"replay", "extractive"}


def test_hyphens_in_the_name_of_a_task_are_underscores(small: Round, tmp_path: Path) -> None:
    viva_here(
        *("run", "related-work", "--round", small.folder, "--logs", tmp_path / "logs"),
        *("--model", "extractive/lead"),
    )
