"""Contestants of known quality, made of the gold: each metric falls by what was done to it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import viva_here
from tests.servers.scripted import FAULTS, Ask, Reply, answer, by_model, scripted
from tests.tasks.writing.gold_contestants import (
    DENIED,
    INVENTED,
    MAKERS,
    MODEL,
    REMOVED,
    ROUND,
    Bench,
    claims_of,
    joined,
    mean,
    whole,
    without_facts,
)
from tests.tasks.writing.judges import bare, judge

from vivavoce.rounds import load_round
from vivavoce.store import read_jsonl, write_jsonl
from vivavoce.tasks.writing.questions import nugget_rows

SHARES = (
    "nugget_coverage",
    "support",
    "contradicted",
    "citation_precision",
    "claim_coverage",
    "relevance",
    "organisation",
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("judged")
    (folder / "round.toml").write_text(ROUND)
    viva_here("ingest", "sample", "60", "--corpus", folder / "corpus")
    viva_here(
        "round", "build", folder / "round.toml", "--corpus", folder / "corpus", "--out", folder
    )
    with scripted(judge) as server:
        viva_here("round", "nuggets", folder / "late", "--model", MODEL, env=server.environment)
        opened = load_round(folder / "late")
        answers = folder / "answers"
        answers.mkdir()
        yield Bench(server, opened, folder / "late.nuggets.jsonl", answers)


@pytest.fixture(scope="module")
def rows(bench: Bench) -> dict[str, dict[str, Any]]:
    items = bench.items()
    return bench.with_nuggets(
        {name: {item["id"]: make(item) for item in items} for name, make in MAKERS.items()}
    )


@pytest.fixture(scope="module")
def values(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, float]]:
    return {
        name: {metric: row["value"] for metric, row in found.items()}
        for name, found in rows.items()
    }


def same_but(values: Mapping[str, Mapping[str, float]], name: str, *metrics: str) -> None:
    """Check that nothing else fell."""
    kept = [metric for metric in SHARES if metric not in metrics]
    assert {m: values[name][m] for m in kept} == {m: values["whole"][m] for m in kept}


def test_the_whole_gold_covers_all_its_facts_and_cites_what_carries_it(
    values: dict[str, dict[str, float]], rows: dict[str, dict[str, Any]]
) -> None:
    found = values["whole"]
    # The coverage of facts leads where there are some.
    led = [metric for metric, row in rows["whole"].items() if row["headline"]]
    assert led == ["nugget_coverage"]
    for metric in ("nugget_coverage", "nugget_coverage_vital_strict", "citation_precision"):
        assert found[metric] == 1.0
    assert (found["contradicted"], found["organisation"]) == (0.0, 0.5)
    assert (found["judge_malformed"], found["judge_refused"]) == (0.0, 0.0)


def test_lost_facts_lower_coverage_alone(bench: Bench, values: dict[str, dict[str, float]]) -> None:
    counts = {row["id"]: len(row["nuggets"]) for row in rows_of(bench.nuggets, "related_work")}
    expected = mean(1 - REMOVED / counts[item["id"]] for item in bench.items())
    assert values["removed"]["nugget_coverage"] == pytest.approx(expected)
    assert values["removed"]["nugget_coverage_strict"] == pytest.approx(expected)
    same_but(values, "removed", "nugget_coverage")


def test_inventions_lower_support_and_denials_are_counted_beside_it(
    bench: Bench, values: dict[str, dict[str, float]]
) -> None:
    counts = [claims_of(item) for item in bench.items()]
    more = INVENTED + DENIED
    support = mean(carried / (claims + more) for claims, carried in counts)
    assert values["whole"]["support"] == pytest.approx(mean(b / a for a, b in counts))
    assert values["invented"]["support"] == pytest.approx(support)
    denied = mean(DENIED / (claims + more) for claims, _ in counts)
    assert values["invented"]["contradicted"] == pytest.approx(denied)
    # What is invented cites nothing, so that it is not covered either.
    assert values["invented"]["claim_coverage"] < values["whole"]["claim_coverage"]
    same_but(values, "invented", "support", "contradicted", "claim_coverage")


def test_swapped_citations_lower_their_precision(values: dict[str, dict[str, float]]) -> None:
    assert values["swapped"]["citation_precision"] < 0.2
    assert values["swapped"]["claim_coverage"] < 0.5 * values["whole"]["claim_coverage"]
    same_but(values, "swapped", "citation_precision", "claim_coverage")


def test_shuffled_paragraphs_lower_organisation_alone(values: dict[str, dict[str, float]]) -> None:
    assert values["shuffled"]["organisation"] < 0.4
    same_but(values, "shuffled", "organisation")


def rows_of(path: Path, task: str) -> list[dict[str, Any]]:
    return [row for _, row in read_jsonl(path) if row.get("task") == task]


def test_nuggets_have_a_head_of_their_own_and_quotes_of_their_section(bench: Bench) -> None:
    [(_, head), *rows] = read_jsonl(bench.nuggets)
    assert (head["round"], head["sha256"]) == (bench.round.id, bench.round.sha256)
    assert head["model"] == MODEL
    assert {row["task"] for _, row in rows} == {"abstract", "introduction", "related_work"}
    golds = {item["id"]: item["reference"] for item in bench.items()}
    for row in rows_of(bench.nuggets, "related_work"):
        assert all(nugget["quote"] in golds[row["id"]] for nugget in row["nuggets"])
        assert row["dropped"] == 1  # the owls, which are in no section
        assert {nugget["importance"] for nugget in row["nuggets"]} == {"vital", "okay"}


ODD = {
    "stranger": "IronLoom is new [99].",
    "uncited": "IronLoom is new.",
    "repeated": "Greya is old. " * 30 + "GreyaGull shows it. " * 30,
    "vacuous": "Much was done.",
    "empty": "",
}


def test_answers_of_odd_kinds_have_defined_values(bench: Bench) -> None:
    answers = {name: dict.fromkeys([i["id"] for i in bench.items()], t) for name, t in ODD.items()}
    found = bench.with_nuggets(answers)
    metrics = ("support", "contradicted", "citation_precision", "claim_coverage", "relevance")

    def of(name: str) -> list[float | None]:
        return [found[name][metric]["value"] for metric in metrics]

    # IronLoom is the paper's own system in some items, and nobody's in others.
    assert of("stranger")[2:3] + of("stranger")[4:] == [0.0, 0.0]
    assert of("uncited")[2] is of("uncited")[4] is None
    # The same sentence thirty times is one claim, which nothing carries.
    assert of("repeated") == [0.0, 0.0, None, 0.0, None]
    assert of("vacuous") == [None] * 5
    assert found["vacuous"]["nugget_coverage"]["value"] == 0.0
    # An answer that is none counts 0, and contradicts nothing.
    assert of("empty") == [0.0, None, 0.0, 0.0, 0.0]
    assert found["empty"]["nugget_coverage"]["value"] == 0.0


@pytest.mark.slow
def test_what_a_judge_leaves_unsaid_is_counted_and_left_out(bench: Bench) -> None:
    def half(ask: Ask) -> Reply:
        """Label the first line alone, however often it is asked."""
        reply = judge(ask)
        labels = json.loads(json.loads(reply.body)["choices"][0]["message"]["content"])
        return answer(json.dumps({"1": labels["1"]}))

    bench.server.script = by_model(
        {
            "judge": judge,
            "half": half,
            "prose": lambda ask: answer("All of it is rather good, I find."),
            "declining": lambda ask: FAULTS["refusal"],
        }
    )
    texts = {item["id"]: joined(whole(item)) for item in bench.items()}
    found = {}
    for name in ("half", "prose", "declining"):
        asked = ["-T", "questions=nuggets", "-T", f"nuggets={bench.nuggets}"]
        judge_name = ["--judge", f"openai-api/scripted/{name}"]
        found[name] = bench.ask({name: texts}, *asked, judged_by=judge_name)[name]
    facts = [len(row["nuggets"]) for row in rows_of(bench.nuggets, "related_work")]
    assert found["half"]["nugget_coverage"]["value"] == 1.0
    assert found["half"]["judge_malformed"]["value"] == pytest.approx(
        mean(1 - 1 / n for n in facts)
    )
    assert found["prose"]["nugget_coverage"]["value"] is None
    assert found["prose"]["judge_malformed"]["value"] == 1.0
    assert found["declining"]["judge_refused"]["value"] == 1.0
    assert found["declining"]["judge_malformed"]["value"] == 0.0


def test_without_nuggets_of_this_round_nothing_is_asked(bench: Bench, tmp_path: Path) -> None:
    asked = len(bench.server.asks)
    lines = bench.nuggets.read_text("utf-8").splitlines()

    def refusal(*given: str, judges: Sequence[str] = ("--judge", MODEL)) -> str:
        command = ["run", "related_work", "--round", bench.round.folder, "--logs", tmp_path / "l"]
        done = viva_here(
            *command, "--model", "extractive/lead", *judges, *given, expect=2,
            env=bench.server.environment,
        )  # fmt: skip
        return done.stderr

    assert "not a file of nuggets" in refusal("-T", f"nuggets={tmp_path}/none.jsonl")
    other = tmp_path / "other.jsonl"
    other.write_text("\n".join([lines[0].replace(bench.round.sha256, "0" * 64), *lines[1:]]))
    assert "has the facts of the round late (00000000)" in refusal("-T", f"nuggets={other}")
    edited = json.loads(lines[1])
    edited["nuggets"][0]["quote"] = "Owls fly at night."
    other.write_text("\n".join([lines[0], json.dumps(edited), *lines[2:]]))
    assert "other.jsonl:2: the section does not hold" in refusal("-T", f"nuggets={other}")
    other.write_text("\n".join([lines[0], "[1]"]))
    assert "other.jsonl" in refusal("-T", f"nuggets={other}")
    assert "no question 'style'" in refusal("-T", "questions=style")
    assert "-T nuggets=FILE" in refusal("-T", "questions=nuggets")
    assert "add --judge" in refusal("-T", f"nuggets={bench.nuggets}", judges=())
    assert len(bench.server.asks) == asked


@pytest.mark.slow
def test_facts_are_written_once_despite_interruptions(bench: Bench, tmp_path: Path) -> None:
    answered: list[str] = []

    def fails_twice(ask: Ask) -> Reply:
        if len(failed) < 2 and len(answered) > 8 * len(failed):
            failed.append(ask.prompt)
            return FAULTS["bad-request"]
        answered.append(ask.prompt)
        return judge(ask)

    failed: list[str] = []
    bench.server.script = fails_twice
    out = tmp_path / "nuggets.jsonl"
    command = ["round", "nuggets", bench.round.folder, "--model", MODEL, "--out", out]
    own = {**bench.server.environment, "INSPECT_CACHE_DIR": str(tmp_path / "replies")}
    runs = [viva_here(*command, env=own, expect=None).exit_code for _ in range(3)]
    assert (runs[0], runs[-1]) == (1, 0)
    assert failed
    assert len(answered) == len(set(answered))
    assert out.read_bytes() == bench.nuggets.read_bytes()
    count = len(answered)
    viva_here(*command, env=own)
    assert len(answered) == count


def test_no_contestant_sees_a_fact(bench: Bench) -> None:
    def write(ask: Ask) -> Reply:
        return answer("GreyaGull shows it.")

    bench.server.script = by_model({"judge": judge, "writer": write})
    writer = "openai-api/scripted/writer"
    logs = bench.folder / "writer"
    command = ["run", "abstract", "--round", bench.round.folder, "--logs", logs, "--model", writer]
    command += ["--judge", MODEL, "-T", f"nuggets={bench.nuggets}"]
    viva_here(*command, env=bench.server.environment)
    facts = {
        nugget["text"] for row in rows_of(bench.nuggets, "abstract") for nugget in row["nuggets"]
    }
    prompts = bench.server.prompts("writer")
    assert prompts
    assert not any(fact in bare(prompt) for prompt in prompts for fact in facts)
    # Two orders, the facts and the claims.
    assert len(bench.server.prompts("judge")) >= 4 * len(bench.items("abstract"))
    # Facts and support stand first where they are judged.
    shown = viva_here("board", "show", logs, "--resamples", "0").stdout.splitlines()
    assert shown[1].split()[2:5] == ["nugget_coverage", "support", "contradicted"]


def test_the_plan_prices_every_question_on_related_work(bench: Bench) -> None:
    command = ["run", "related_work", "--round", bench.round.folder, "--logs", bench.folder / "no"]
    command += ["--model", "extractive/lead", "--judge", MODEL, "-T", f"nuggets={bench.nuggets}"]
    command += ["--price", f"{MODEL}=1,2"]
    planned = viva_here(*command, "--estimate", "--json", env=bench.server.environment)
    [priced] = [row for row in json.loads(planned.stdout)["estimate"] if row["model"] == MODEL]
    # Two orders, facts, claims, and works, since the section's own are cited.
    assert (priced["requests"], priced["usd"] > 0) == (5 * len(bench.items()), True)
    assert set(priced["questions"]) == {"judge", "judge.claims", "judge.nuggets", "judge.relevance"}


def test_an_audit_compares_judges_of_lines_with_people(bench: Bench, tmp_path: Path) -> None:
    def strict(ask: Ask) -> Reply:
        labels = json.loads(json.loads(judge(ask).body)["choices"][0]["message"]["content"])
        return answer(json.dumps(dict.fromkeys(labels, "absent")))

    bench.server.script = by_model({"judge": judge, "second": judge, "strict": strict})
    names = [f"openai-api/scripted/{name}" for name in ("judge", "second", "strict")]
    texts = {item["id"]: without_facts(item) for item in bench.items()}
    path = tmp_path / "some.jsonl"
    write_jsonl(path, [{"id": key, "text": text} for key, text in texts.items()])
    panel = [word for name in names for word in ("--judge", name)]
    asked = ["-T", "questions=nuggets", "-T", f"nuggets={bench.nuggets}"]
    command = ["run", "related_work", "--round", bench.round.folder, "--logs", tmp_path / "logs"]
    viva_here(*command, *panel, *asked, "--model", f"replay/{path}", env=bench.server.environment)
    row = next(iter(texts))
    label = {"id": row, "contestant": f"replay/{path}", "question": "nuggets", "label": "absent"}
    audit = ["audit", "judge", tmp_path / "logs", "--human", tmp_path / "people.jsonl"]
    write_jsonl(tmp_path / "people.jsonl", [label | {"line": 1}])
    found = json.loads(viva_here(*audit, "--json").stdout)
    agreement = {
        tuple(judge.split()[0].rpartition("/")[2] for judge in each["judges"]): each["agreement"]
        for each in found["agreement"]
        if not any("+" in judge for judge in each["judges"])
    }
    assert agreement["judge", "second"]["value"] == 1.0
    assert agreement["judge", "strict"]["value"] < 0.5
    measures = {(m["judge"].split()[0], m["measure"]): m["value"] for m in found["measures"]}
    assert measures[names[2], "best"] == 0.0
    assert measures[names[0], "best"] > 0.5
    assert {value for (_, name), value in measures.items() if name == "silent"} == {0.0}
    [people] = [each for each in found["human"] if each["judge"].startswith(names[2])]
    assert (people["criterion"], people["n"], people["agreement"]["value"]) == ("nuggets", 1, 1.0)
    write_jsonl(tmp_path / "people.jsonl", [label | {"line": 999}])
    assert "no judge was asked about" in viva_here(*audit, expect=2).stderr


def test_people_confirm_facts(bench: Bench, tmp_path: Path) -> None:
    out = tmp_path / "edited.jsonl"
    out.write_bytes(bench.nuggets.read_bytes())
    rows = nugget_rows(bench.round.folder, out)
    db = ["--db", tmp_path / "a.db"]
    source = ["--from-round", bench.round.folder, "--from-nuggets", out]
    done = viva_here("annotate", "import", "--campaign", "facts", *source, "--person", "ann", *db)
    assert f"{len(rows):,} items added" in done.stdout
    first, second, third = (row["id"] for row, _ in rows[:3])
    labels = [
        {"id": first, "stated": "no", "importance": "okay", "accepted": False},
        {"id": second, "stated": "yes", "importance": "vital", "accepted": True},
    ]
    write_jsonl(tmp_path / "labels.jsonl", labels)
    given = ["--labels", tmp_path / "labels.jsonl", "--out", out, "--json"]
    counts = json.loads(viva_here("round", "nuggets", bench.round.folder, *given).stdout)
    assert (counts["gone"], counts["nuggets"]) == (1, len(rows) - 1)
    left = {
        row["id"]: row["content"]["suggestion"] for row, _ in nugget_rows(bench.round.folder, out)
    }
    assert first not in left
    assert left[second]["importance"] == "vital"
    assert third in left
    refused = viva_here("round", "nuggets", bench.round.folder, expect=2).stderr
    assert "--model" in refused
    assert "--labels" in refused
