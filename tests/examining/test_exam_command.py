"""`viva exam`: from papers and models to a verdict, by the command that a user runs."""

import html
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from tests.examining.papers import DAYS, quality, save_pages, save_pdfs
from tests.servers.bill import IN, OUT, Bill, by_words
from tests.servers.commands import only_json, viva_here
from tests.servers.golden import Golden
from tests.servers.living_arxiv import submissions
from tests.servers.scripted import KEY, Ask, Reply, ScriptedServer, answer, error, scripted, slot

from vivavoce.results.logs.reading import read_logs
from vivavoce.rounds import load_round
from vivavoce.store import lock, read_sealed, write_sealed

PAPERS = 14
FIELDS = {"answer", "table", "left_out", "more_papers", "papers", "plan", "verdicts", "site"}
VERDICT = {
    *("task", "metric", "better", "worse", "difference", "ci", "decided", "items"),
    *("more_papers_needed", "cost"),
}
PRICES = ("--price", "openai-api/scripted/fine=10,40", "--price", "openai-api/scripted/weak=1,4")


def full(name: str) -> str:
    return f"openai-api/scripted/{name}"


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with scripted(quality) as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Papers as arXiv's HTML, one of which cannot be read and one of which has no date."""
    folder = save_pages(tmp_path_factory.mktemp("pages"), PAPERS)
    first = min(folder.iterdir())
    stamp = re.compile(rb'<div id="watermark-tr">.*?</div>')
    (folder / "undated.html").write_bytes(stamp.sub(b"", first.read_bytes()))
    first.unlink()
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    return folder


@pytest.fixture(scope="module")
def based(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exam of these papers that no model has taken yet."""
    out = tmp_path_factory.mktemp("based") / "out"
    viva_here("exam", pages, "--tasks", "abstract", "--out", out)
    return out


def examine(
    server: ScriptedServer, papers: Path | str, models: str, out: Path, *more: str, expect: int = 0
) -> Any:
    named = [word for name in models.split() for word in ("--model", full(name))]
    command = ("exam", papers, *named, "--out", out, "--json", *more)
    done = viva_here(*command, env=server.environment, expect=expect)
    return only_json(done.stdout) if not expect else done.stderr


def copied(based: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(based, tmp_path / "out"))


@pytest.mark.slow
def test_the_better_model_is_named_and_nobody_is_asked_twice(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    out, before = copied(based, tmp_path), len(server.asks)
    options = ("--tasks", "abstract", "--yes", "--budget", "5", *PRICES)
    report = examine(server, pages, "weak fine", out, *options)
    assert report.keys() >= FIELDS
    assert report["papers"] == {
        "given": PAPERS + 1,
        "used": PAPERS - 1,
        "left_out": {"undated": 1, "unreadable": 1},
    }
    [verdict] = report["verdicts"]
    assert verdict.keys() >= VERDICT
    assert (verdict["better"], verdict["worse"]) == (full("fine"), full("weak"))
    assert (verdict["metric"], verdict["decided"]) == ("rougeL", True)
    assert verdict["more_papers_needed"] is None
    low, high = verdict["ci"]
    assert 0 < low < verdict["difference"] < high
    values = verdict["values"]
    assert verdict["difference"] == pytest.approx(values[full("fine")] - values[full("weak")])
    # Each reply says that it took 100 tokens and gave 7.
    asked = Counter(ask.model for ask in server.asks[before:])
    assert asked == {"fine": verdict["items"], "weak": verdict["items"]}
    dollars = {full("fine"): (1000 + 280) / 1e6, full("weak"): (100 + 28) / 1e6}
    for name, each in dollars.items():
        assert verdict["cost"][name] == pytest.approx(each * verdict["items"])
    plan = report["plan"]
    assert plan["items"] == PAPERS - 1
    assert 0 < plan["cost"] < plan["at_most"] < 5
    assert 0 < plan["detectable"] < 1
    page = Path(report["page"]).read_text("utf-8")
    assert html.escape(report["answer"]) in page
    assert html.escape(verdict["words"]) in page
    ceiling, *others = report["table"]
    assert (ceiling["role"], ceiling["price_total"]) == ("ceiling", None)
    fine, weak = (row for row in others if row["role"] == "model")
    assert (fine["contestant"], weak["contestant"]) == (full("fine"), full("weak"))
    assert fine["value"] > weak["value"]
    assert (fine["may_be_best"], weak["may_be_best"]) == (True, False)
    [rival] = (row for row in others if row["role"] == "baseline")
    # The interval of each shows on which side of the best baseline it is.
    low, high = rival["ci"]
    assert fine["beats_baseline"] in ({True, None} if fine["ci"][0] > low else {False, None})
    assert weak["beats_baseline"] is (False if weak["ci"][1] < low else None)
    for row in (fine, weak):
        assert row["price_per_answer"] == pytest.approx(dollars[row["contestant"]])
        assert row["price_total"] == pytest.approx(row["price_per_answer"] * row["n"])
        assert (row["task"], row["metric"]) == ("abstract", "rougeL")
        assert (row["n"], row["failed"]) == (verdict["items"], 0)
    text, pasted = (
        viva_here(
            *("exam", pages, "--model", full("weak"), "--model", full("fine"), "--out", out),
            *(*options, *more),
            env=server.environment,
        ).stdout
        for more in (("--pairs",), ("--markdown",))
    )
    assert text.startswith(report["answer"])
    assert verdict["words"] in text
    value = f"{fine['value']:.3f}"
    assert all(value in form for form in (page, text, pasted))
    assert "| contestant | abstract" in pasted
    assert (Path(report["site"]) / "board" / "index.html").is_file()
    assert examine(server, pages, "weak fine", out, *options) == report
    # The site comes again where it is gone, and still nobody is asked.
    shutil.rmtree(report["site"])
    assert examine(server, pages, "weak fine", out, *options) == report
    assert len(server.asks) == before + sum(asked.values())


@pytest.mark.slow
def test_equal_models_cannot_be_told_apart(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    options = ("--tasks", "abstract", "--yes")
    report = examine(server, pages, "fine twin", copied(based, tmp_path), *options)
    [verdict] = report["verdicts"]
    assert (verdict["better"], verdict["worse"], verdict["decided"]) == (None, None, False)
    assert (verdict["difference"], verdict["more_papers_needed"]) == (0, None)
    assert verdict["cost"][full("twin")] is None
    assert "undecided between fine and twin" in verdict["words"]
    assert "too close" in verdict["words"]


@pytest.mark.slow
def test_models_that_differ_by_chance_alone_would_take_more_papers(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    options = ("--tasks", "abstract", "--yes")
    report = examine(server, pages, "even odd", copied(based, tmp_path), *options)
    [verdict] = report["verdicts"]
    assert not verdict["decided"]
    assert verdict["items"] == PAPERS - 1
    assert verdict["more_papers_needed"] > 0
    assert f"about {verdict['more_papers_needed']:,} more such papers" in verdict["words"]
    # Four times out of five a difference shows that is greater than this, by hand: 1.95996 errors,
    # with one more paper half the range against it, 0.84162 errors more, and that paper.
    [folder] = [path.parent for path in (tmp_path / "out" / "logs").rglob("*decide*")][:1]
    even, odd = (
        [log.item_values("rougeL") for log in read_logs(folder)[0] if log.key.model == full(name)]
        for name in ("even", "odd")
    )
    apart = [even[0][item] - odd[0][item] for item in even[0]]
    gap, spread = abs(fmean(apart)), stdev(apart)

    def shown(papers: int) -> float:
        error, one = spread / papers**0.5, 0.5 / papers
        return 1.95996 * (error**2 + one**2) ** 0.5 + 0.84162 * error + one

    needed = len(apart) + verdict["more_papers_needed"]
    assert shown(needed) <= gap < shown(needed - 1)


@pytest.mark.slow
def test_one_model_is_compared_with_baselines_and_shown_its_misses(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    def failing(ask: Ask) -> Reply:
        return answer("") if opening in ask.prompt else quality(ask)

    opening = submissions(PAPERS, DAYS)[3].document.sections[0].text[:60]
    server.script = failing
    out = copied(based, tmp_path)
    shutil.rmtree(out / "logs")
    report = examine(server, pages, "fine", out, "--tasks", "abstract", "--yes")
    server.script = quality
    rivals = {row["between"][1]: row for row in report["verdicts"]}
    assert set(rivals) == {"lead", "centrality", "abstract_copy", "null"}
    assert rivals["null"]["better"] == full("fine")
    rows = only_json(viva_here("board", "show", next((out / "logs").iterdir()), "--json").stdout)
    [fine] = [row for row in rows["rows"] if row["model"] == full("fine") and row["headline"]]
    assert {name for name, row in rivals.items() if not row["decided"]} == {*fine["undecided_with"]}
    assert rivals["null"]["invalid"][full("fine")] == 1
    first, *others = report["missed"]
    assert first["value"] == 0
    assert first["fault"]
    assert first["title"]
    assert all(row["value"] > 0 and not row["fault"] for row in others)
    shown = viva_here("exam", pages, "--model", full("fine"), "--tasks", "abstract", "--out", out)
    assert f"worst in abstract: {first['title']}" in shown.stdout


@pytest.mark.slow
def test_without_a_model_baselines_answer_and_a_plan_is_made(based: Path, pages: Path) -> None:
    done = viva_here("exam", pages, "--tasks", "abstract", "--out", based)
    assert f"{PAPERS - 1} of {PAPERS + 1} papers are usable" in done.stdout
    assert "lead" in done.stdout
    assert "A model would be asked:" in done.stdout
    assert "Add --price MODEL=IN,OUT" in done.stdout
    report = only_json(
        viva_here("exam", pages, "--tasks", "abstract", "--out", based, "--json").stdout
    )
    assert report["verdicts"] == []
    assert report["plan"]["cost"] is None
    first, *baselines = report["table"]
    assert (first["role"], {row["role"] for row in baselines}) == ("ceiling", {"baseline"})
    by_value = [row["value"] for row in baselines]
    assert by_value == sorted(by_value, reverse=True)


@pytest.mark.slow
def test_an_exam_of_another_version_is_reported_in_a_line(
    pages: Path, based: Path, tmp_path: Path
) -> None:
    out = copied(based, tmp_path)
    record = {**read_sealed(out / "exam.json"), "format": 1}
    write_sealed(out / "exam.json", record)
    done = viva_here("exam", pages, "--tasks", "abstract", "--out", out, expect=2)
    assert done.stderr == (
        f"Error: {out} has an exam of another version of viva, which this version cannot read. "
        "Choose another --out.\n"
    )


@pytest.mark.slow
def test_nothing_is_asked_before_somebody_agrees_or_beyond_the_budget(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    out, before = copied(based, tmp_path), len(server.asks)
    output = examine(server, pages, "fine weak", out, "--tasks", "abstract", expect=2)
    assert "Add --yes" in output
    assert f"{PAPERS - 1} items" in output
    options = ("--tasks", "abstract", "--yes", *PRICES, "--budget", "0.01")
    output = examine(server, pages, "fine weak", out, *options, expect=2)
    assert "the budget is $0.01. Nothing was asked" in output
    output = examine(
        server, pages, "fine weak", out, "--tasks", "abstract", "--yes", "--budget", "9", expect=2
    )
    assert f"--price {full('fine')}=IN,OUT" in output
    assert len(server.asks) == before


@pytest.mark.slow
def test_the_plan_is_within_15_percent_of_the_bill(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    out = copied(based, tmp_path)
    bill = Bill(Golden(load_round(out / "rounds" / "exam"), ["abstract"]), by_words)
    server.script = bill
    prices = ("--price", f"{full('billed')}={IN},{OUT}", "--budget", "9")
    report = examine(server, pages, "billed", out, "--tasks", "abstract", "--yes", *prices)
    server.script = quality
    assert report["plan"]["cost"] == pytest.approx(bill.usd["billed"], rel=0.15)
    assert bill.usd["billed"] < report["plan"]["at_most"]
    [cost] = {row["cost"][full("billed")] for row in report["verdicts"]}
    assert cost == pytest.approx(bill.usd["billed"])


@pytest.mark.slow
def test_no_request_goes_beyond_the_budget(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    """A provider counts twice the tokens that anybody would expect, and its answers are long."""
    bill = Bill(lambda ask: answer(slot(ask.prompt, "paper")[:2_000]), lambda text: len(text) // 2)
    server.script = bill
    out, asked = copied(based, tmp_path), len(server.asks)
    options = ("--tasks", "abstract", "--yes", "--price", f"{full('fine')}={IN},{OUT}")
    output = examine(server, pages, "fine", out, *options, "--budget", "0.18", expect=1)
    assert "is used up" in output
    assert 0 < bill.usd["fine"] <= 0.18
    report = examine(server, pages, "fine", out, *options, "--budget", "9")
    server.script = quality
    assert report["plan"]["at_most"] < 0.18 < bill.usd["fine"]
    assert len(server.asks) - asked == report["verdicts"][0]["items"] == PAPERS - 1


@pytest.mark.slow
def test_other_papers_replace_an_exam_that_nobody_paid_for_and_no_other(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    out, fewer = copied(based, tmp_path), Path(shutil.copytree(pages, tmp_path / "fewer"))
    (fewer / "undated.html").unlink()
    report = examine(server, fewer, "fine weak", out, "--tasks", "abstract", "--yes")
    assert report["papers"]["left_out"] == {"unreadable": 1}
    output = examine(server, pages, "fine weak", out, "--tasks", "abstract", "--yes", expect=2)
    assert "an exam of other papers" in output


def test_two_exams_in_one_folder_do_not_meet(pages: Path, tmp_path: Path) -> None:
    with lock(tmp_path):
        output = viva_here("exam", pages, "--out", tmp_path, expect=75).stderr
    assert "is held by process" in output


@pytest.mark.slow
def test_a_provider_that_fails_ends_with_1_and_is_asked_again(
    server: ScriptedServer, pages: Path, based: Path, tmp_path: Path
) -> None:
    out, options = copied(based, tmp_path), ("--tasks", "abstract", "--yes")
    before = len(server.asks)
    server.script = lambda ask: error(400, "no") if ask.model == "weak" else quality(ask)
    output = examine(server, pages, "fine weak", out, *options, expect=1)
    assert "Run the same command again" in output
    server.script = quality
    [verdict] = examine(server, pages, "fine weak", out, *options)["verdicts"]
    assert verdict["better"] == full("fine")
    assert sum(ask.model == "fine" for ask in server.asks[before:]) == verdict["items"]


@pytest.mark.slow
def test_pdfs_and_every_task_that_they_can_carry(server: ScriptedServer, tmp_path: Path) -> None:
    folder = save_pdfs(tmp_path / "papers", 12)
    report = examine(server, folder, "fine weak", tmp_path / "out", "--yes")
    assert report["papers"]["given"] == 12
    better = {row["task"]: row["better"] for row in report["verdicts"]}
    # Of related work there are items of fewer than twelve, which decide nothing.
    assert set(better) == {"title", "abstract", "introduction"}
    assert set(better.values()) <= {full("fine"), None}


def test_what_does_not_do_is_reported_before_anything_is_read(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.mkdir()
    (nothing / "photo.jpg").write_bytes(b"\xff\xd8")
    out = ("--out", tmp_path / "out")
    cases = {
        ("nowhere",): "does not exist",
        (nothing,): "no file of a supported kind",
        (nothing, "--tasks", "poem"): "There is no task 'poem'",
        (nothing, "--tasks", "formula"): "formula is not about papers",
        (nothing, "--budget", "0"): "must be above 0",
        (nothing, "--max", "3"): "--max is for arxiv:QUERY only",
        (nothing, "--since", "2024-02-01", "--until", "2024-01-01"): "must be before",
        ("arxiv: ",): "has no query",
        (nothing, "--model", "a/b", "--price", "a/c"): "names no model",
    }
    for words, message in cases.items():
        assert message in viva_here("exam", *words, *out, expect=2).stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_few_papers_are_asked_what_they_can_be_and_decide_nothing(
    server: ScriptedServer, tmp_path: Path
) -> None:
    few = save_pages(tmp_path / "few", 3)
    found = examine(server, few, "fine", tmp_path / "few-out", "--yes")
    assert {row["task"]: row["papers"] for row in found["plan"]["tasks"]}["abstract"] == 3
    assert found["plan"]["detectable"] is None
    assert not any(verdict["decided"] for verdict in found["verdicts"])


@pytest.mark.slow
def test_papers_that_cannot_be_examined_say_why(server: ScriptedServer, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "a.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    output = examine(server, broken, "fine", tmp_path / "broken-out", "--yes", expect=2)
    assert "can be read" in output
    assert "a.pdf" in output
    papers = save_pages(tmp_path / "papers", 3)
    done = viva_here(
        "exam", papers, "--model", "nobody/x", "--out", tmp_path / "model-out", expect=2
    )
    assert "The model nobody/x cannot be used" in done.stderr
    assert KEY not in done.stderr
