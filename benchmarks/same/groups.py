"""All groups, and those that start from the demo."""

import shutil
from pathlib import Path

from benchmarks.same import inputs, reading
from benchmarks.same.scenario import WORK_FILES, Group, Words, as_json, both

ROUND = "demo/round/demo-2024"
CORPUS = ("--corpus", "demo/corpus")
FEW = ("--resamples", "300")
TABLES = "papers authorships sections references tables results faults".split()


def list_groups(*, has_data: bool) -> list[Group]:
    """List the groups, those with needs after what they need."""
    groups = [
        *(_lists(), _demo(), _corpus(), _networks(), _rounds(), _live(), _runs(), _boards()),
        *(_audits(), _score(), _annotate(), reading.typed(), *reading.real()),
    ]
    return [group for group in groups if has_data or not group.has_data]


def _lists() -> Group:
    things = ("tasks", "methods", "metrics", "sources")
    calls = [words for thing in things for words in both("list", thing)]
    return Group("lists", [["--help-of-all"], *calls, ["list", "nothing"], ["corpus", "statz"]])


def _demo() -> Group:
    return Group(
        "demo",
        as_json("demo --out demo"),
        kept=("demo",),
        named=("demo/site",),
        passed_over=(*WORK_FILES, "--cost.svg"),
        evened={"demo/logs": "even/demo"},
        left=("demo/corpus", "demo/round", "even/demo"),
    )


def _corpus() -> Group:
    exports = [
        ["corpus", "export", table, *CORPUS, "--out", f"tables/{table}.{kind}", "--json"]
        for table in TABLES
        for kind in ("jsonl", "parquet")
    ]
    parts = ("dates", "boards")
    calls = [*both("corpus", "stats", *CORPUS), *both("corpus", "verify", *CORPUS)]
    for part in parts:
        calls += both("corpus", "stats", "--of", part, *CORPUS)
    wrong = [["corpus", "export", "nothing", *CORPUS, "--out", "tables/x.jsonl"]]
    return Group("corpus", calls + exports + wrong, ("demo",), kept=("tables",))


def _networks() -> Group:
    corpus = ("--corpus", "net/corpus")
    calls = [*both("network", "stats", *corpus)]
    for by in ("network", "domain"):
        calls.append(["network", "stats", *corpus, "--by", by, "--json"])
    for network in ("citation", "comparison", "coauthor"):
        calls += both("network", "stats", "--by", "pagerank", *corpus, "--network", network)
    calls += [
        ["network", "stats", "--by", "in_degree", *corpus, "--json"],
        ["network", "stats", "--by", "pagerank", *corpus, "--no-external", "--json"],
        ["network", "build", *corpus, "--fresh"],
    ]
    return Group("networks", calls, ("demo",), prepare=_copy_corpus, kept=("net",))


def _copy_corpus(work: Path) -> None:
    shutil.copytree(work / "demo" / "corpus", work / "net" / "corpus")


def _rounds() -> Group:
    out = ("--out", "rounds")
    calls: list[Words] = []
    for name in inputs.SPECS:
        calls.append(["round", "build", f"specs/{name}.toml", *CORPUS, *out, "--json"])
    for name in ("whole", "other"):
        for verb in ("verify", "stats"):
            calls += both("round", verb, f"rounds/{name}")
    for form in ("hf", "ids"):
        place = ("--out", f"exports/{form}", "--format", form)
        calls.append(["round", "export", "rounds/whole", *place, *CORPUS, "--json"])
    calls += [
        ["round", "build", "specs/whole.toml", *CORPUS, *out],
        ["round", "build", "bad.toml", *CORPUS, *out],
        ["audit", "leakage", "rounds/whole", "--json"],
        ["audit", "leakage", "rounds/whole"],
        ["list", "rounds", "--in", "rounds", "--json"],
    ]
    specs = {f"specs/{name}.toml": text for name, text in inputs.SPECS.items()}
    return Group(
        "rounds",
        calls,
        ("demo",),
        inputs={**specs, "bad.toml": inputs.BAD_SPEC},
        kept=("rounds", "exports"),
    )


def _live() -> Group:
    corpus, out = ("--corpus", "live/corpus"), ("--out", "live/rounds")
    update = ["round", "update", "live/rounds/live", *corpus, *out]
    told = "live/told/live"
    calls = [
        ["ingest", "sample", "40", *corpus, "--json"],
        ["round", "build", "live.toml", *corpus, *out, "--json"],
        ["ingest", "sample", "60", *corpus],
        [*update, "--until", "2024-07-01", "--json"],
        [*update, "--until", "2024-10-01", "--id", "later"],
        *both("round", "verify", "live/rounds/live-2024-07-01"),
        ["round", "seal", "live/rounds/live", "--out", "live/told", "--json"],
        ["round", "seal", "live/rounds/live", "--out", "live/told", "--reveal", "--json"],
        *both("round", "seal", f"{told}.sealed.json", "--check", f"{told}.revealed.json"),
    ]
    return Group("live", calls, inputs={"live.toml": inputs.LIVE_SPEC}, kept=("live",))


def _runs() -> Group:
    at = f"--round {ROUND} --logs runs"
    lead = "--model extractive/lead"
    calls = as_json(
        f"run title {at} --model replay/answers.jsonl",
        f"run introduction {at} --setting coauthor {lead} --limit 6",
        f"run introduction {at} {lead} --limit 6",
        f"run related_work {at} {lead} --method rag --method abstract_copy --subset 6 --stratify",
        f"run leaderboard {at} --method random_rows --method copycat",
        f"run leaderboard {at} --method table_reader -T split=dev",
        f"run rank_by_graph {at} --method recency --method in_degree --setting fulltext",
        f"run rank_by_graph {at} --method pagerank -S direction=citing --sweep damping=0.5,0.7",
        f"run rank_by_prompt {at} --method in_order --method bm25",
        f"run table {at} {lead} --method one_step --method per_paper --subset 4",
        f"run formula {at} --method naive --epochs 2",
        f"run title {at} {lead} --judge extractive/lead --subset 5",
        f"run nothing {at}",
    )
    return Group(
        "runs",
        calls,
        ("demo",),
        inputs={"answers.jsonl": inputs.ANSWERS},
        kept=("runs",),
        evened={"runs": "even/runs"},
        left=("even/runs",),
    )


def _boards() -> Group:
    demo, runs = "even/demo", "even/runs"
    few_samples = ("--partial", "--samples", "2")
    calls = [
        ["board", "build", demo, "--out", "site", "--json"],
        [*("board", "build", runs, "--out", "small"), *few_samples],
        [*("board", "build", demo, "--out", "with", "--with", runs), "--partial"],
        *both("board", "show", demo, *FEW, "--all", "--costs"),
        *both("board", "show", runs, *FEW, "--partial", "--all"),
        *both("board", "show", "--by", "attempts", runs, *FEW, "--partial"),
    ]
    for by in ("setting", "part", "retriever"):
        calls += both("board", "show", "--by", by, demo, *FEW)
        calls.append(["board", "show", "--by", by, runs, *FEW, "--partial", "--json"])
    calls += [
        *both("board", "show", "--by", "sweep", runs, *FEW, "--partial"),
        *both("board", "show", "--by", "cutoff", demo, *FEW, "--cutoffs", "cutoffs.toml"),
        *both("board", "verify", "submission/logs", "--round", ROUND),
        *both("board", "compare", "extractive/lead", "extractive/centrality", "--logs", demo, *FEW),
        ["board", "compare", "oracle", "null", "--logs", demo, *FEW, "--out", "duel", "--json"],
        *both("board", "submit", "submission", "--check", "--round", ROUND),
        *both("board", "show", "--by", "drift", demo, "--round", ROUND, *FEW),
    ]
    return Group(
        "boards",
        calls,
        ("demo", "runs"),
        inputs={"cutoffs.toml": inputs.CUTOFFS, "submission/submission.toml": inputs.SUBMISSION},
        prepare=_hand_in,
        kept=("site", "small", "with", "duel"),
    )


def _hand_in(work: Path) -> None:
    """Put a few logs into a submission: whether their scores hold is computed anew."""
    logs = work / "submission" / "logs"
    logs.mkdir()
    for task in ("title", "rank-by-graph", "formula"):
        for path in sorted((work / "even" / "demo").glob(f"*_{task}-*.eval"))[:2]:
            shutil.copyfile(path, logs / path.name)


def _audits() -> Group:
    demo = "even/demo"
    evaluator = ("--evaluator", "extractive/lead")
    retrieval = ("--retriever", "tfidf", "--retriever", "bm25", "--depth", "20")
    calls = [
        *both("audit", "leakage", ROUND, *FEW),
        *both("audit", "judge", "even/runs", *FEW, "--partial"),
        *both("audit", "retrieval", ROUND, *retrieval, *FEW),
        ["audit", "evaluators", demo, *evaluator, *FEW, "--json"],
    ]
    return Group("audits", calls, ("demo", "runs"))


def _score() -> Group:
    calls = []
    for family, more in {
        "writing": ("--stem",),
        "ranking": ("--seed", "3"),
        "leaderboards": ("--aggregate", "micro"),
        "tables": ("--pairs", "3"),
    }.items():
        files = ("--gold", f"gold/{family}.jsonl", "--predictions", f"answers/{family}.jsonl")
        calls += both("score", family, *files)
        calls.append(["score", family, *files, *more, "--json"])
    for family, end in (("factor", "parquet"), ("architecture", "safetensors")):
        files = ("--gold", f"gold/{family}.{end}", "--predictions", f"answers/{family}.{end}")
        calls += both("score", family, *files)
    rows = {f"gold/{name}.jsonl": text for name, text in inputs.GOLD.items()}
    rows |= {f"answers/{name}.jsonl": text for name, text in inputs.PREDICTIONS.items()}
    return Group("score", calls, inputs=rows, prepare=inputs.write_arrays)


def _annotate() -> Group:
    calls: list[Words] = []
    for kind in inputs.CAMPAIGNS:
        about = ("--campaign", kind, "--kind", kind)
        calls += [["annotate", "import", f"items/{kind}.jsonl", *about, "--json"]]
        calls += both("annotate", "agreement", "--campaign", kind, *FEW)
        calls += both("annotate", "export", "--campaign", kind, "--out", f"campaigns/{kind}")
    calls += [
        ["annotate", "import", "--from-round", ROUND, "--campaign", "r", "--kind", "demands"],
        ["annotate", "export", "--campaign", "r", "--out", "campaigns/r", "--json"],
        ["annotate", "agreement", "--campaign", "nobody", "--json"],
    ]
    texts = {f"items/{kind}.jsonl": text for kind, text in inputs.CAMPAIGNS.items()}
    return Group("annotate", calls, ("demo",), inputs=texts, kept=("campaigns",))
