"""An exam: from papers and model names to a verdict in plain words, in one call.

Every step resumes after a kill; a finished exam sends no requests.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vivavoce.corpus import Corpus, load_corpus
from vivavoce.corpus.ingestion.fetching import Service, open_service
from vivavoce.corpus.ingestion.imports import File
from vivavoce.errors import InputError, VivaError
from vivavoce.examining.outcome import AUTHORS, Outcome, conclude
from vivavoce.examining.planning import (
    ExamTask,
    asking,
    check_budget,
    check_tasks,
    choose_tasks,
    make_plan,
    papers_line,
    plan_lines,
    templates,
)
from vivavoce.examining.request import (
    Request,
    State,
    Watch,
    as_csv,
    check_request,
    count_papers,
    find_papers,
    left_out_lines,
    read_papers,
)
from vivavoce.examining.standings import best_baseline, compare, stand, worst_items
from vivavoce.metrics.judged_text import NUGGETS
from vivavoce.models import start_model
from vivavoce.networks import build_networks
from vivavoce.publication import make_site
from vivavoce.reports import Report, Sheet
from vivavoce.requests import SiteOptions
from vivavoce.requests.run import RunSpec
from vivavoce.results.logs.reading import read_logs
from vivavoce.rounds import Round, load_round
from vivavoce.running import run
from vivavoce.running.logs import Progress
from vivavoce.running.meter import metered, spent_below
from vivavoce.running.provider_errors import probe
from vivavoce.store import Row, lock, write_text
from vivavoce.tasks import build_round, list_families
from vivavoce.tasks.writing.questions import nuggets_of
from vivavoce.text.dates import period

PAPERS_A_LOOK = 10
MAX_LOOKS = 4
"""Maximum number of interim analyses; each uses up a share of the error budget."""

FACTS_BILL = " (facts)"
"""Purpose under which `spending.jsonl` books a judge's costs before there are answers."""

TRIES = 3
"""Tries per request to arXiv; few, since the user is waiting."""
PAGE = "index.html"

Agree = Callable[[Row], bool]
"""Called with the papers and the plan; returns False to ask no model."""
Files = Mapping[str, Sequence[File]]


class NotAgreedError(InputError):
    """The plan was declined; no model was asked."""

    def __init__(self, proposal: Row) -> None:
        self.proposal = proposal
        lines = "\n".join(plan_lines(proposal))
        super().__init__(
            f"Nothing was sent to a model. The plan was:\n{lines}\nAdd --yes (yes=True) to agree."
        )


@dataclass(frozen=True, slots=True)
class Exam(Report):
    """Result of an exam."""

    outcome: Outcome
    papers: Row
    """Counts of papers given, of papers used, and of papers left out by reason."""
    left_out: list[Row]
    """Papers left out: file, reason and remedy."""
    plan: Row
    verdicts: list[Row]
    """One per task and pair of models; with one model, per baseline."""
    missed: list[Row]
    """Papers on which a single model did worst; empty with several models."""
    site: str
    page: str
    """The page with this report."""
    left_out_file: str
    """File with a table of all papers left out."""

    def as_dict(self) -> Row:
        """The fields as JSON values, with a row per task and contestant."""
        plain = Report.as_dict(self)
        answer, _ = plain.pop("answer"), plain.pop("contestants")
        return {"answer": answer, "table": self.outcome.rows(), **plain}

    def parts(self) -> Iterator[Sheet | str]:
        """The answer, the table, open questions, and the papers left out."""
        yield from self.outcome.parts()
        yield papers_line(self.papers)
        yield from left_out_lines(self.left_out, self.left_out_file)
        for row in self.missed:
            paper, why = row["title"] or row["id"], row["fault"] or f"{row['value']:.3f}"
            yield f"  worst in {row['task']}: {paper} ({why})"

    def pairs(self) -> Iterator[str]:
        """Sentences on all pairs."""
        return (row["words"] for row in self.verdicts)


def exam(
    papers: str | Path,
    models: str | Sequence[str] = (),
    *,
    yes: bool = False,
    agree: Agree | None = None,
    watch: Watch | None = None,
    contact: str | None = None,
    base: str | None = None,
    **options: Any,
) -> Exam:
    """Examine models on papers and report which is better at which task.

    Args:
        papers: A folder of mixed files, one file, or `arxiv:QUERY`.
        models: Names as `provider/model`; without any, only baselines answer, at no cost.
        yes: Ask the models without confirmation.
        agree: Called once for confirmation, with the papers and the plan, unless `yes`.
        watch: Opens a progress bar for each step, by label.
        contact: Your email address, for arXiv.
        base: A server to use instead of arXiv.
        options: Further fields of `ExamRequest`, such as `tasks`, `budget` and `since`.

    Raises:
        InputError: Papers, models, tasks or the budget are unsuitable, or the plan was declined;
            nothing was paid.
        VivaError: A step failed; the same call resumes.
        LockedError: Another exam uses the folder.
    """
    names = [models] if isinstance(models, str) else list(models)
    request = Request(papers=str(papers), models=tuple(dict.fromkeys(names)), **options)
    request = replace(request, out=Path(request.out), tasks=check_tasks(request.tasks))
    check_request(request)
    files = find_papers(request)
    with lock(request.out):
        watch = watch or (lambda label: nullcontext(lambda done, total: None))
        return _Exam(request, State(request, files), watch).take(
            files, (lambda proposal: True) if yes else agree, open_service(base, contact, TRIES)
        )


@dataclass(frozen=True, slots=True)
class _Exam:
    """A run of all steps."""

    request: Request
    state: State
    watch: Watch

    def take(self, files: Files, agree: Agree | None, service: Service) -> Exam:
        """Carry out all unfinished steps."""
        done = self.state.report()
        if done is not None:
            return self._result(done)
        request = self.request
        if self.state.is_new:
            for folder in (request.corpus, request.round.parent, request.logs.parent, request.site):
                shutil.rmtree(folder, ignore_errors=True)
            self.state.write()
        with self.watch("Checking models"):
            names = [*request.models, *request.judge]
            if self.state.is_agreed:  # the models were probed before
                for name in names:
                    start_model(name, {})
            else:
                probe(names)
        corpus, opened = self._round(files, service)
        chosen = choose_tasks(opened, self.request.tasks)
        judging = bool(self.request.models and self.request.judge)
        by_facts = [each for each in chosen if each.states_facts and judging]
        counted, left_out = count_papers(corpus, opened, [each.task for each in chosen], files)
        write_text(self.request.left_out, as_csv(left_out))
        self._run_baselines([each for each in chosen if each not in by_facts])
        with self.watch("Planning"):
            logs = read_logs(self.request.logs)[0] if self.request.logs.is_dir() else []
            plan = make_plan(self.request, chosen, logs)
        proposal = {"papers": counted, "left_out": left_out, "plan": plan}
        if self.request.models:
            check_budget(plan)
            if not self.state.is_agreed and (agree is None or not agree(proposal)):
                raise NotAgreedError(proposal)
            self.state.agree()
            with_facts = self._write_facts(by_facts)
            chosen = [
                replace(each, metric=NUGGETS[0]) if each.task in with_facts else each
                for each in chosen
            ]
            self._run_baselines([each for each in chosen if each.states_facts and judging])
            self._run_models(chosen)
        return self._conclude(chosen, corpus, proposal)

    def _round(self, files: Files, service: Service) -> tuple[Corpus, Round]:
        """Read the papers and build their round, unless both exist."""
        request = self.request
        if (request.round / "manifest.json").is_file():
            return load_corpus(request.corpus), load_round(request.round)
        corpus = read_papers(request, files, self.watch, service)
        periods = [period(paper.first_public) for paper in corpus.papers if paper.first_public]
        oldest, after = min(first for first, _ in periods), max(last for _, last in periods)
        if request.since and request.since >= after:
            raise InputError(
                f"No paper in {request.papers} is from {request.since} or later: all are from "
                f"before {after}. Name an earlier --since."
            )
        if request.until and request.until <= oldest:
            raise InputError(
                f"No paper in {request.papers} is from before {request.until}: all are from "
                f"{oldest} or later. Name a later --until."
            )
        window = {"start": request.since or oldest, "end": request.until or after}
        families = [name for name, card in list_families().items() if card.of_papers]
        head = {"id": request.round.name, "window": window, "seed": 0, "families": families}
        with self.watch("Building the round"):
            build_networks(corpus)
            return corpus, build_round(corpus, {"round": head}, request.round.parent)

    def _write_facts(self, chosen: Sequence[ExamTask]) -> list[str]:
        """Let the judge extract the facts of gold sections; return the tasks with facts.

        The budget covers this step, and facts from a killed exam are kept.
        """
        from vivavoce.tasks.writing.nugget_writing import write_round_nuggets

        request, tasks = self.request, [each.task for each in chosen]
        if not tasks:
            return []
        prices = {n: price for n, price in request.prices.items() if n == request.judge[0]}
        with (
            self.watch("Writing facts") as update,
            metered(request.logs, request.budget, prices, purpose=FACTS_BILL) as watch,
        ):
            write_round_nuggets(
                *(request.round, request.judge[0], request.nuggets),
                tasks=tasks,
                progress=update,
                watch=watch,
            )
        return [task for task in tasks if nuggets_of(str(request.nuggets), task)]

    def _facts(self, each: ExamTask) -> Path | None:
        return self.request.nuggets if each.metric == NUGGETS[0] else None

    def _run_baselines(self, chosen: Sequence[ExamTask]) -> None:
        for each in chosen:
            with self.watch(f"Baselines of {each.task}") as update:
                asked = asking(self.request, each, (), self.request.logs, self._facts(each))
                budget = self.request.budget if asked.judge else None
                self._carry_out(replace(asked, budget=budget), update)

    def _run_models(self, chosen: Sequence[ExamTask]) -> None:
        request = self.request
        for each in chosen:
            looks = max(1, min(MAX_LOOKS, each.papers // PAPERS_A_LOOK))
            decide = "all" if len(request.models) > 1 else None
            with self.watch(f"Asking about {each.task}") as update:
                asked = asking(request, each, request.models, request.logs, self._facts(each))
                asked = replace(asked, decide=decide, budget=request.budget)
                if decide and not asked.judge:
                    # Ask a model until it is better or worse than a baseline that costs nothing.
                    rival = best_baseline(each, read_logs(request.logs)[0])
                    asked = replace(asked, methods=(*asked.methods, rival))
                self._carry_out(replace(asked, looks=looks) if decide else asked, update)

    def _carry_out(self, spec: RunSpec, update: Progress) -> None:
        report = run(spec, update)
        if report.failed:
            lines = "\n".join(report.failed)
            raise VivaError(f"{lines}\nRun the same command again to retry what failed.")

    def _conclude(self, chosen: Sequence[ExamTask], corpus: Corpus, proposal: Row) -> Exam:
        """Write the site and save its report."""
        request = self.request
        with self.watch("Writing the site"):
            make_site(request.logs, request.site / "board", SiteOptions())
            logs, _ = read_logs(request.logs)
            titles = {paper.paper_id: paper.title for paper in corpus.papers}
            stands = [stand(each, logs, request.models, AUTHORS) for each in chosen]
            verdicts = [row for each in stands for row in compare(request, each)]
            alone = chosen if len(request.models) == 1 else ()
            report = {
                "outcome": conclude(
                    stands, verdicts, request.models, spent_below(request.logs, FACTS_BILL)
                ).as_dict(),
                **proposal,
                "verdicts": verdicts,
                "missed": [
                    row for each in alone for row in worst_items(request, each, logs, titles)
                ],
            }
            page = templates().get_template("verdict.html.j2")
            text = page.render(
                exam=self._result(report), models=self.request.models, source=self.request.papers
            )
            write_text(self.request.site / PAGE, text)
        self.state.finish(report)
        return self._result(report)

    def _result(self, report: Row) -> Exam:
        site = self.request.site
        return Exam(
            **{**report, "outcome": Outcome(**report["outcome"])},
            site=str(site),
            page=str(site / PAGE),
            left_out_file=str(self.request.left_out),
        )
