"""Cases planted among real papers: dates on the wrong side, copies, and gold that was retold."""

import json
import re
import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.servers.commands import viva_here

from vivavoce.rounds import load_round
from vivavoce.store import read_jsonl

pytestmark = [pytest.mark.data, pytest.mark.slow]

EVERY = 6
"""One TEI file in so many."""
START = "2015-01-01"
TASKS = ("title", "abstract")
_ARXIV = re.compile(r"([0-9]{2})([0-9]{2})\.[0-9]{4,5}")


class Planted:
    """A round of real papers, and what was planted among them."""

    def __init__(self, data: Path, folder: Path) -> None:
        self.folder = folder
        (folder / "tei").mkdir()
        for path in sorted((data / "tei").glob("[0-9]*.tei.xml"))[::EVERY]:
            shutil.copy(path, folder / "tei")
        self.rows: list[dict[str, Any]] = []
        for _, row in read_jsonl(data / "tei" / "index.jsonl"):
            if (folder / "tei" / row["file"]).exists():
                self.rows.append({"file": row["file"], "source_url": row["source_url"]})

    def build(self, name: str) -> Path:
        """The round of all that is there."""
        corpus, spec = self.folder / f"{name}-c", self.folder / f"{name}.toml"
        rows = self.folder / f"{name}.jsonl"
        rows.write_text("".join(json.dumps(row) + "\n" for row in self.rows))
        spec.write_text(
            f'[round]\nid = "{name}"\nfamilies = ["writing"]\n'
            f'window = {{start = "{START}", end = "2020-01-01"}}\n[writing]\n'
            'settings = ["base", "random"]\n'
        )
        for kind, where in (("tei", self.folder / "tei"), ("metadata", rows)):
            self.run("ingest", kind, where, "--corpus", corpus)
        self.run("round", "build", spec, "--corpus", corpus, "--out", self.folder)
        return self.folder / name

    def file_of(self, item: str) -> Path:
        """The file that an item is made of."""
        row = next(row for row in self.rows if item.removeprefix("arxiv:") in str(row))
        return self.folder / "tei" / row["file"]

    def run(self, *words: object) -> str:
        return viva_here(*words).stdout


@pytest.fixture
def planted(data_dir: Path, tmp_path: Path) -> Planted:
    return Planted(data_dir, tmp_path)


def items_of(made: Path, task: str = "abstract") -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in load_round(made).items("writing", task)}


def reasons(made: Path, paper_id: str) -> set[tuple[str, str]]:
    """(task, reason) of each task or setting that a paper was left out of."""
    rows = load_round(made).leakage["excluded"]
    return {(row["task"], row["reason"]) for row in rows if row["paper_id"] == paper_id}


def first_day(text: str) -> date:
    return date.fromisoformat(f"{text}-01-01"[:10])


def test_no_item_and_no_demonstration_was_public_on_the_wrong_side(planted: Planted) -> None:
    """Venue dates up to a year late are planted: the month of the arXiv id dates the papers."""
    late = [row for row in planted.rows if _ARXIV.search(row["source_url"])]
    assert len(late) >= 8
    for row in late:
        year, month = _ARXIV.search(row["source_url"]).groups()  # type: ignore[union-attr]
        row["published"] = f"20{int(year) + 1}-{month}-15"
        row["categories"] = ["cs.CL"]
    made = planted.build("late")
    public = {f"arxiv:{m[0]}": f"20{m[1]}-{m[2]}" for m in map(_ARXIV.search, map(str, late)) if m}
    opened = load_round(made)
    wrong, dated, shown = [], 0, 0
    for task in TASKS:
        for row in opened.items("writing", task):
            begin = first_day(public.get(row["id"], row["published"]))
            dated += row["id"] in public
            wrong += [row["id"]] if begin < date.fromisoformat(START) else []
            for demo in row["demos_random"]:
                shown += 1
                # The month of the one is over before that of the other begins.
                is_before = public.get(demo, "9999") < public.get(row["id"], "0000")
                wrong += [] if is_before else [f"{demo} for {row['id']}"]
    assert wrong == []
    assert dated >= 6
    assert shown >= 6
    before = [name for name, month in public.items() if month < START[:7]]
    assert before  # each would have been an item by its venue's date
    outside = {why for name in before for why in reasons(made, name)}
    assert outside <= {("*", "outside_window"), ("*", "no_abstract")}
    report = json.loads(
        planted.run(
            "corpus", "stats", "--of", "dates", "--corpus", made.parent / "late-c", "--json"
        )
    )
    assert report["sources"]["arxiv_id"] >= len(public) - 1
    planted.run("audit", "leakage", made)


def test_a_near_copy_under_another_id_and_a_retold_abstract_are_no_items(planted: Planted) -> None:
    """Every eighth word of the abstract is changed, so that no run of 13 words is left."""
    plain = items_of(planted.build("plain"))
    retold = next(name for name, row in plain.items() if (row["overlap"] or 0) < 0.05)
    copied = next(name for name in plain if name != retold)

    text = planted.file_of(copied).read_text("utf-8")
    other = re.sub(r"\bthe model\b", "our model", text)  # as another version has it
    (planted.folder / "tei" / "copy.tei.xml").write_text(other, "utf-8")
    planted.rows.append(
        {"file": "copy.tei.xml", "id": "proceedings-7", "published": "2019-06-01"}
        | {"title": "Another title of the same work"}
    )
    path, words = planted.file_of(retold), plain[retold]["reference"].split()
    paraphrase = " ".join("otherwise" if n % 8 == 7 else word for n, word in enumerate(words))
    paraphrase = paraphrase.replace("&", "and").replace("<", " ")
    text = path.read_text("utf-8")
    place = text.index("</div>", text.index("<body"))  # the end of the introduction
    path.write_text(f"{text[:place]}<p>{paraphrase}</p>{text[place:]}", "utf-8")

    made = planted.build("spoilt")
    assert reasons(made, "proceedings-7") == {("*", "near_copy")}
    assert ("abstract", "gold_retold") in reasons(made, retold)
    assert items_of(made).keys() == plain.keys() - {retold}  # no other paper is suspected
    planted.run("audit", "leakage", made)
