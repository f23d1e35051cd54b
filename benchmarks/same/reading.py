"""The groups that ingest: sources typed here, and the kinds of real papers in the data folder."""

import hashlib
import shutil
from pathlib import Path

from benchmarks.same import inputs
from benchmarks.same.scenario import WORK_FILES, Group, Words, both
from benchmarks.same.typed_sources import TYPED

FOLDERS = {
    "tei": "part/tei",
    "latex": "data/latex",
    "jats": "data/fulltext",
    "s2orc": "data/fulltext",
    "unarxive": "data/fulltext",
    "survey": "data/tables/human_surveys",
    "arxiv": "data/arxiv_api",
    "snapshot": "data/arxiv_api",
    "pwc": "data/leaderboards",
    "nlp_progress": "data/leaderboards",
    "tdms": "data/leaderboards",
    "metadata": "part/acl.parquet",
    "pdf": "part/pdf",
}
"""Where each kind is read from; the large ones in part."""
GROUPS = {
    "sources": ("jats", "s2orc", "unarxive", "arxiv", "snapshot", "metadata", "tdms"),
    "latex": ("latex", "survey"),
    "tei": ("tei", "pwc", "nlp_progress"),
    "pdf": ("pdf",),
}
TEI, PDF, ACL_SHARE = 30, 6, 12
"""TEI files by hash, the smallest PDF files, and one paper of so many of the Anthology."""


def typed() -> Group:
    """Ingest what is typed here: the kinds of which there is no real file."""
    calls: list[Words] = []
    for kind in TYPED:
        corpus = ("--corpus", f"typed/{kind}/corpus")
        calls.append(["ingest", kind, f"typed/{kind}/in", *corpus, "--json"])
        calls.append(["corpus", "stats", *corpus, "--json"])
    for form in ("digestables", "academiceval"):
        end = "" if form == "digestables" else ".jsonl"
        out = ("--out", f"typed/{form}/out{end}")
        calls.append(
            ["corpus", "export", "--as", form, "--corpus", f"typed/{form}/corpus", *out, "--json"]
        )
    texts = {
        f"typed/{kind}/in/{name}": text
        for kind, files in TYPED.items()
        for name, text in files.items()
    }
    return Group("typed", calls, inputs=texts, kept=("typed",))


def real() -> list[Group]:
    """Ingest real papers, each kind into a corpus of its own."""
    return [_group(name, kinds) for name, kinds in GROUPS.items()]


def _group(name: str, kinds: tuple[str, ...]) -> Group:
    calls: list[Words] = []
    for kind in kinds:
        corpus = ("--corpus", f"{name}/{kind}")
        calls.append(["ingest", kind, FOLDERS[kind], *corpus, "--json"])
        calls += both("corpus", "stats", *corpus)
        calls.append(["corpus", "verify", *corpus, "--json"])
    if name == "sources":
        answers = ("--predictions", "data/rplm/responses/GPT4.jsonl.gz")
        gold = ("--gold", "data/rplm/gold.jsonl")
        calls += [["score", "ranking", *gold, *answers, "--resamples", "300", "--json"]]
        calls += [["score", "ranking", *gold, *answers, "--resamples", "0", "--legacy"]]
    if name == "tei":
        corpus = ("--corpus", "tei/tei")
        calls += [
            ["ingest", "tdms", "data/leaderboards", *corpus, "--json"],
            *both("corpus", "stats", "--of", "boards", *corpus),
            ["network", "build", *corpus, "--json"],
            *both("network", "stats", *corpus),
            ["network", "stats", "--by", "pagerank", *corpus, "--json"],
            ["round", "build", "real.toml", *corpus, "--out", "tei/rounds", "--json"],
            ["round", "stats", "tei/rounds/real", "--json"],
        ]
    return Group(
        name,
        calls,
        inputs={"real.toml": inputs.REAL_SPEC} if name == "tei" else {},
        prepare=_take_parts,
        kept=(name,),
        passed_over=WORK_FILES,
        has_data=True,
    )


def _take_parts(work: Path) -> None:
    """Take a part of the kinds that are large, the same wherever it is taken."""
    part = work / "part"
    if part.exists():
        return
    for kind, pattern in (("tei", "*.tei.xml"), ("pdf", "*.pdf")):
        (part / kind).mkdir(parents=True)
        found = list((work / "data" / kind).glob(pattern))
        if kind == "tei":
            found = sorted(found, key=lambda path: _hash(path.name))[:TEI]
        else:
            found = sorted(found, key=lambda path: (path.stat().st_size, path.name))[:PDF]
        for path in found:
            shutil.copyfile(path, part / kind / path.name)
    _take_anthology(work / "data" / "acl" / "acl_upto2022.parquet", part / "acl.parquet")


def _take_anthology(whole: Path, out: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(whole)
    drawn = [_hash(str(name)) % ACL_SHARE == 0 for name in table["id"].to_pylist()]
    pq.write_table(table.filter(pa.array(drawn)), out)


def _hash(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])
