"""`viva exam --judge`: models of known quality are told apart by what they state."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from tests.examining.papers import DAYS, save_pages
from tests.servers.commands import only_json, viva_here
from tests.servers.forked import KILLED, Killer, Place
from tests.servers.living_arxiv import submissions
from tests.servers.scripted import Ask, Reply, ScriptedServer, answer, by_model, scripted, slot
from tests.tasks.writing.judges import judge, names

PAPERS = 12
JUDGE = "openai-api/scripted/judge"
PRICES = [
    word
    for name in ("fine", "weak", "third", "judge")
    for word in ("--price", f"openai-api/scripted/{name}=1,4")
]
Abstracts = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Quality:
    """What a contestant does to an abstract that is given by its sentences."""

    removed: tuple[int, int]
    """Facts left out, in the abstracts of an even and of an odd number of letters."""
    invented: int
    """Sentences on systems that do not exist."""
    denied: int
    """Sentences that the paper contradicts."""

    def write(self, sentences: Sequence[str]) -> list[str]:
        """What it writes, by sentences."""
        left_out = self.removed[len(" ".join(sentences)) % 2]
        invented = [f"Grey{letter}Gull shows it." for letter in "abcdef"[: self.invented]]
        return [*sentences[left_out:], *invented, *["GreenGull never worked."] * self.denied]

    def coverage(self, sentences: Sequence[str]) -> float:
        """Share of the facts, of which every sentence is one."""
        return 1 - self.removed[len(" ".join(sentences)) % 2] / len(sentences)

    def claims(self, sentences: Sequence[str]) -> int:
        """Sentences that name a system: of others the judge says that they claim nothing."""
        return sum(bool(names(one)) for one in self.write(sentences))


QUALITIES = {
    "fine": Quality((0, 1), 0, 0),
    "weak": Quality((2, 4), 2, 1),
    "third": Quality((1, 1), 0, 0),
}


@pytest.fixture(scope="module")
def abstracts() -> Abstracts:
    """Sentences of each abstract by title."""
    return {
        one.document.title: re.split(r"(?<=\.)\s+(?=[A-Z])", one.document.abstract)
        for one in submissions(PAPERS, DAYS)
    }


@pytest.fixture(scope="module")
def server(abstracts: Abstracts) -> Iterator[ScriptedServer]:
    def contestant(ask: Ask) -> Reply:
        return answer(" ".join(QUALITIES[ask.model].write(abstracts[slot(ask.prompt, "title")])))

    with scripted(by_model({"judge": judge}, contestant)) as running:
        yield running


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_pages(tmp_path_factory.mktemp("pages"), PAPERS)


def examine(
    server: ScriptedServer, papers: Path, out: Path, models: str, *more: str, expect: int = 0
) -> Any:
    named = [word for name in models.split() for word in ("--model", f"openai-api/scripted/{name}")]
    command = ("exam", papers, *named, "--tasks", "abstract", "--out", out, "--json", "--yes")
    done = viva_here(*command, *more, env=server.environment, expect=expect)
    return only_json(done.stdout) if not expect else done.stderr


@pytest.mark.slow
def test_a_judge_says_which_facts_each_states_and_what_it_invents(
    server: ScriptedServer, papers: Path, abstracts: Abstracts, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    options = ("--judge", JUDGE, *PRICES)
    refused = examine(server, papers, out, "fine weak", *options, "--budget", "0.01", expect=2)
    assert "the budget is $0.01. Nothing was asked" in refused
    assert server.asks == []
    report = examine(server, papers, out, "fine weak", *options, "--budget", "5")
    coverage = {
        name: fmean(map(QUALITIES[name].coverage, abstracts.values())) for name in ("fine", "weak")
    }
    rows = {row["contestant"].rpartition("/")[2]: row for row in report["table"]}
    assert {row["metric"] for row in rows.values()} == {"nugget_coverage"}
    assert rows["authors' text"]["value"] == 1.0
    for name, expected in coverage.items():
        assert rows[name]["value"] == pytest.approx(expected)
    [verdict] = report["verdicts"]
    assert verdict["better"].endswith("fine")
    also = {row["metric"]: row for row in verdict["also"]}
    supported, contradicted = (
        {name.rpartition("/")[2]: value for name, value in also[metric].items() if "/" in name}
        for metric in ("support", "contradicted")
    )
    weak = QUALITIES["weak"]
    claims = [weak.claims(one) for one in abstracts.values()]
    wrong = weak.invented + weak.denied
    assert supported == pytest.approx({"fine": 1.0, "weak": fmean(1 - wrong / n for n in claims)})
    denied = fmean(weak.denied / n for n in claims)
    assert contradicted == pytest.approx({"fine": 0.0, "weak": denied})
    [said] = report["claims"]
    low, high = rows["weak"]["ci"]
    assert (
        f"; weak covers {coverage['weak']:.0%} [{low:.0%}, {high:.0%}] of the facts that the "
        f"authors' own abstract states, and of its claims, its input supports "
        f"{supported['weak']:.0%} ["
    ) in said
    assert said.startswith(f"abstract: fine covers {coverage['fine']:.0%} [")
    [rival] = (row for row in rows.values() if row["role"] == "baseline")
    assert f"; the baseline {rival['contestant']} covers {rival['value']:.0%}" in said

    # The facts of each abstract are asked for once, whatever else is asked about these papers.
    def facts_asked() -> int:
        return sum("List the facts" in ask.prompt for ask in server.asks)

    assert facts_asked() == PAPERS
    asked = Counter(ask.model for ask in server.asks)
    assert examine(server, papers, out, "fine weak", *options, "--budget", "5") == report
    assert Counter(ask.model for ask in server.asks) == asked
    # The plan prices the facts. Each reply says that it took 100 tokens and gave 7.
    [task] = report["plan"]["tasks"]
    assert task["judging"].keys() == {"writing facts", "nuggets", "claims", "compare"}
    assert 0 < sum(task["judging"].values()) < task["tokens"]
    assert report["plan"]["cost"] < report["plan"]["at_most"] < 5
    shown = viva_here(
        *("exam", papers, "--tasks", "abstract", "--out", out, *options),
        *(
            "--budget",
            "5",
            "--model",
            "openai-api/scripted/fine",
            "--model",
            "openai-api/scripted/weak",
        ),
        env=server.environment,
    ).stdout
    cost = asked["judge"] * (100 * 1 + 7 * 4) / 1e6
    assert f"The judge cost another ${cost:.2g}." in shown
    plain = examine(server, papers, out, "fine weak", *PRICES[:4])
    assert plain["claims"] == []
    assert {row["metric"] for row in plain["table"]} == {"rougeL"}
    alone = examine(server, papers, out, "third", *options, "--budget", "5")
    assert facts_asked() == PAPERS
    against = {row["between"][1]: row for row in alone["verdicts"]}
    third = fmean(map(QUALITIES["third"].coverage, abstracts.values()))
    assert against["lead"]["values"]["openai-api/scripted/third"] == pytest.approx(third)
    assert (against["lead"]["metric"], against["lead"]["decided"]) == ("nugget_coverage", True)


@pytest.mark.slow
def test_an_exam_that_is_killed_reads_and_judges_nothing_twice(
    server: ScriptedServer, tmp_path: Path
) -> None:
    """Killed once the second reply of the judge is kept, and six more."""
    papers, out = save_pages(tmp_path / "pages", 2), tmp_path / "out"
    command = ["exam", papers, "--tasks", "abstract", "--yes", "--out", out, "--judge", JUDGE]
    command += ["--model", "openai-api/scripted/weak"]
    asked: list[set[str]] = []
    under_way = 0
    with closing(Killer()) as killer:
        for kept in (2, 6, 0):
            place = Place("inspect_ai.model._model", "cache_store", kept) if kept else None
            before = len(server.asks)
            assert killer.run(command, server.environment, place) == (KILLED if kept else 0)
            asked.append({ask.prompt for ask in server.asks[before:]})
            under_way += len(server.asks) - before - kept if kept else 0
    # A prompt is asked again only if its reply was under way.
    assert sum(map(len, asked)) - len(set.union(*asked)) <= under_way
    assert sum("List the facts" in prompt for prompt in set.union(*asked)) == 2
