"""Wrong use of any command: it ends with 2, says what is wrong, and writes nothing."""

import shlex
from pathlib import Path

import pytest
from tests.servers.annotation import lines, rows_of
from tests.servers.commands import title_logs, viva_here

from vivavoce.store import write_jsonl

SPEC = """[round]
id = "mine"
families = ["writing"]
window = {start = 2023-07-01, end = 2025-01-01}
"""
ALONE = """
async def alone(question):
    return "A title"
"""
RUN = "run title --round round-0/small --logs new"
LEAD = f"{RUN} --model extractive/lead"
RAG = f"{LEAD} --method rag"
DECIDE = f"{LEAD} --model extractive/centrality"
IMPORT = "annotate import --campaign pilot --db a.db"
ITEMS = f"{IMPORT} items.jsonl"
SCORE = "score writing --gold gold.jsonl --predictions gold.jsonl"
INIT = "round init new.toml"
UPDATE = "round update round-0/small --corpus corpus --out round-0"
DAYS = "--start 2024-07-01 --end 2025-01-01"
WRONG = {
    # An address in place of a path: of all options only `--corpus` takes one, and whole.
    "board show s3://bucket/folder": "is an address",
    "board build logs --out s3://bucket/folder": "is an address",
    "round verify s3://bucket/folder": "is an address",
    "run title --round sample --logs s3://bucket/folder": "is an address",
    "ingest tei s3://bucket/folder --corpus new": "is an address",
    "ingest sample 3 --corpus s3:/bucket/corpus": "is an address",
    # Corpora
    "ingets": "ingets",
    "ingest latin tei --corpus new": "'latin'",
    "ingest tei missing --corpus new": "missing does not exist",
    "ingest metadata m.jsonl --corpus new --map title": "THEIRS=OURS",
    "ingest metadata m.jsonl --corpus new --map mood=colour": "colour",
    "ingest tei tei --corpus new --map a=title": "--map",
    "ingest tei tei --corpus new --address here:1": "--engine ray",
    "ingest tei tei --corpus new --enrich arxiv": "kind pdf",
    "fetch oai --out new --from June": "'June' is not a day",
    "fetch oai --out new --from 2024-06-02 --until 2024-06-01": "is after",
    "fetch oai --out new --base https://[x/oai": "is not an address",
    "fetch texts --corpus new": "is not a corpus",
    "fetch texts --corpus corpus --kinds html,docx --base http://127.0.0.1:9": "docx",
    "corpus stats --corpus missing": "viva ingest KIND WHERE --corpus missing",
    "corpus stats --corpus corpus --paper 2": "--paper",
    "corpus verify --corpus .": "is not a corpus",
    "corpus export papers --corpus corpus --out x.csv": ".jsonl or .parquet",
    "corpus export poems --corpus corpus --out x.jsonl": "'poems'",
    "network build --corpus .": "is not a corpus",
    "network stats --corpus .": "is not a corpus",
    # Rounds
    INIT: "There is no terminal to ask on. Add --id.",
    f"{INIT} --id a --start 2024-07-01": "Add --end.",
    f"{INIT} --id 'Not An Id' {DAYS}": "The new spec: [round] id",
    f"{INIT} --id a --start 2025-01-01 --end 2024-01-01": "start must be before end",
    f"{INIT} --id a {DAYS} --family writting": "there is no family 'writting'",
    f"round init spec.toml --id a {DAYS}": "spec.toml",
    "round build bad/id.toml --corpus corpus --out new": "bad/id.toml: [round] id",
    "round build bad/end.toml --corpus corpus --out new": "bad/end.toml: [round] window.end",
    "round build bad/key.toml --corpus corpus --out new": "Did you mean families?",
    "round demands --corpus corpus --spec spec.toml --model a/b --out d": 'not have "tables"',
    "round verify round-0": "Did you mean",
    "round stats round-0": "Did you mean",
    "round verify missing": "missing",
    "round stats missing": "missing",
    "round export round-0/small --out new --format csv": "csv",
    "round export round-0/small --out new --format ids --texts open": "has no texts",
    "round export round-0/small --out new --texts some": "is not one of",
    f"{UPDATE} --until 2024-01-31": "update it to a later date",
    f"{UPDATE} --until soon": "is not a day",
    f"{UPDATE} --until 2025-07-01 --id small": "Choose another with --id",
    # Runs
    f"{RUN} --setting title_only --method null": "title has no setting 'title_only'",
    f"{RUN} --agent mine.py@alone": "Name at least one --model",
    f"{LEAD} --agent nobody.py@x": "names no file",
    f"{LEAD} --method magic": "no method 'magic'",
    f"{LEAD} --context 0": "--context",
    f"{LEAD} -S rounds=5": "'rounds' is not an argument of direct. There are: none.",
    f"{LEAD} --unknown": "--unknown",
    f"{LEAD} --as '<b>'": "--as '<b>' is not a name",
    f"{LEAD} --cutoffs cutoffs.toml": "--cutoffs needs --clean-only",
    f"{LEAD.replace('title', 'titel')}": "Did you mean title?",
    f"{RUN} --model replay/other.jsonl": "other.jsonl answers no item of title: its first id is "
    "'paper 1', and the first item",
    f"{RUN} --model replay/none.jsonl": "none.jsonl answers no item of title: it has no row, and",
    f"{RAG} --sweep chunks": "'chunks' is not of the form NAME=VALUES",
    f"{RAG} chunks=1,2": "There is no task 'chunks=1,2'",
    f"{RAG} --stratify": "--subset N",
    f"{RAG} --subset-seed 3": "--subset N",
    f"{DECIDE} --decide top=0": "must be at least 1",
    f"{DECIDE} --decide best": "Write top=K",
    f"{DECIDE} --decide all --alpha 1": "between 0 and 1",
    f"{DECIDE} --decide all --indifference nan": "indifference",
    f"{DECIDE} --looks 3": "need --decide",
    "run --smoke --round sample --logs new --epochs 2": "epochs",
    # Boards and audits
    "board show empty --json": "empty",
    "board show missing --json": "missing",
    "board show logs --by part --costs": "costs",
    "board show logs --over 2": "over",
    "board show logs --by sweep --over batch": "an argument 'batch'",
    "board show --by setting missing": "missing",
    "board compare lab/one lab/two": "--logs",
    "board compare extractive/lead extractive/lead --logs logs": "with itself",
    "board compare extractive/lead lab/six --logs logs": "There are: extractive/lead",
    "board export logs --out new --as eval_results": "--dataset OWNER/NAME",
    "board export logs --out new --as csv --date soon": "Write it as YYYY-MM-DD",
    "board export logs --out new --as lm-eval": "'lm-eval' is not one of",
    "board export logs --out empty/.. --as csv": "Choose another folder",
    "board intake empty --out new --round round-0/small": "empty",
    "board intake inbox --out new": "--round",
    "board intake inbox --out inbox/one/new --round round-0/small": "inbox",
    "board submit logs": "--check",
    "board submit --check missing": "missing",
    "audit judge missing": "missing",
    "audit leakage missing": "missing",
    f"{SCORE.replace('writing', 'summaries')}": "architecture, factor, leaderboards, own_list",
    f"{SCORE} --legacy": "--legacy",
    # Annotation
    f"{IMPORT} --kind distractors": "Give one source",
    f"{IMPORT} --from-round .": "Facts need both",
    f"{IMPORT} --from-logs .": "needs two contestants",
    ITEMS: "A new one needs --kind",
    f"{ITEMS} --kind chess": "Existing kinds: distractors",
    f"{ITEMS} --kind qa": "items.jsonl:1: content for qa: question: Field required",
    f"{ITEMS} --kind qa --replace-links": "needs the persons: --person NAME",
    f"{ITEMS} --kind distractors --draw 2": "--draw needs --from-logs",
    f"{ITEMS} --kind distractors --person 'a b'": "is not a valid name",
    "annotate export --campaign other --db b.db --out new": "Create it with viva annotate import.",
    "annotate agreement --campaign other --db b.db": "Create it with viva annotate import.",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, a round over it, logs, and the files that the lines name."""
    folder = tmp_path_factory.mktemp("world")
    title_logs(folder, 4, methods=["direct", "null"])
    for name in ("tei", "bad", "empty", "inbox/one/logs"):
        (folder / name).mkdir(parents=True)
    (folder / "tei" / "one.tei.xml").write_text("<TEI/>")
    (folder / "mine.py").write_text(ALONE)
    (folder / "cutoffs.toml").touch()
    (folder / "spec.toml").write_text(SPEC)
    for name, old, new in (
        ("id", '"mine"', '"../mine"'),
        ("end", "2025-01-01", '"soon"'),
        ("key", "families", "familys"),
    ):
        (folder / "bad" / f"{name}.toml").write_text(SPEC.replace(old, new))
    write_jsonl(folder / "m.jsonl", [{"id": "p", "title": "T", "mood": "good"}])
    write_jsonl(folder / "other.jsonl", [{"id": "paper 1", "text": "A title"}])
    write_jsonl(folder / "none.jsonl", [])
    write_jsonl(folder / "gold.jsonl", [{"id": 1, "reference": "a"}])
    lines(folder / "items.jsonl", *rows_of("distractors", 4))
    database = ("--db", folder / "a.db", "--campaign", "other", "--kind", "distractors")
    viva_here("annotate", "import", folder / "items.jsonl", *database)
    return folder


def stamps(folder: Path) -> dict[Path, int]:
    """Times at which the files were last written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_use_is_a_message_and_leaves_everything_as_it_was(
    world: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.chdir(world)
    before = stamps(world)
    done = viva_here(*shlex.split(line), expect=2)
    assert WRONG[line] in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert stamps(world) == before
