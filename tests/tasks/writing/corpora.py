"""Papers written one by one, then built into the items of a round."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vivavoce.corpus import Corpus, ingest, load_corpus
from vivavoce.rounds import parse_spec
from vivavoce.rounds.family import FamilyItems
from vivavoce.tasks.writing.build import OPTIONS, build

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt>
<title level="a" type="main">{title}</title></titleStmt></fileDesc><profileDesc>
<abstract><p>{abstract}</p></abstract></profileDesc></teiHeader><text><body>{body}</body>
<back><div type="references"><listBibl>{references}</listBibl></div></back></text></TEI>"""
REFERENCE = """<biblStruct><analytic><title level="a" type="main">{title}</title>
<author><persName><surname>{author}</surname></persName></author></analytic>
<monogr><imprint><date type="published" when="{year}"/></imprint></monogr></biblStruct>"""


def words(stem: str, count: int) -> str:
    """So many words that no other stem has: `stem0 stem1 ...`."""
    return " ".join(f"{stem}{number}" for number in range(count))


def usual(name: str) -> dict[str, str]:
    """The sections of a paper that has them all, in words of its own."""
    return {
        "Introduction": words(f"{name}opening", 120),
        "Related Work": words(f"{name}earlier", 100),
        "Method": words(f"{name}middle", 200),
        "Conclusion": words(f"{name}ending", 40),
    }


class Papers:
    """A corpus in the making."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: list[dict[str, Any]] = []

    def add(
        self,
        name: str,
        published: str | None,
        *,
        title: str = "",
        abstract: str = "",
        sections: Mapping[str, str] | None = None,
        references: Sequence[tuple[str, str, int]] = (("Some cited work", "Weir", 2001),),
        **row: Any,
    ) -> None:
        """Add a paper; a blank line in a section parts paragraphs, references are titles,
        surnames and years, and the rest are columns of its metadata."""
        sections = usual(name) if sections is None else sections
        body = "".join(
            f"<div><head>{heading}</head>"
            + "".join(f"<p>{paragraph}</p>" for paragraph in text.split("\n\n"))
            + "</div>"
            for heading, text in sections.items()
        )
        entries = "".join(REFERENCE.format(title=t, author=a, year=y) for t, a, y in references)
        text = TEI.format(
            title=title or f"The matter of {name}",
            abstract=abstract or words(f"{name}summary", 50),
            body=body,
            references=entries,
        )
        path = self.folder / "tei" / f"{name}.tei.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        metadata = {"file": path.name, "id": name, "categories": ["cs.CL"], **row}
        self.rows.append({**metadata, "published": published} if published else metadata)

    def note(self, name: str, **row: Any) -> None:
        """Add a paper of which only metadata are known."""
        self.rows.append({"id": name, **row})

    def corpus(self) -> Corpus:
        """The corpus of all papers added."""
        (self.folder / "m.jsonl").write_text("\n".join(map(json.dumps, self.rows)))
        ingest("tei", self.folder / "tei", self.folder / "c")
        ingest("metadata", self.folder / "m.jsonl", self.folder / "c")
        return load_corpus(self.folder / "c")

    def build(
        self, start: str = "2024-01-01", end: str = "2025-01-01", seed: int = 0, **options: Any
    ) -> FamilyItems:
        """The items of a round with this window."""
        window = {"start": start, "end": end}
        values = {"id": "r", "window": window, "families": ["writing"], "seed": seed}
        spec = parse_spec({"round": values, "writing": options}, {"writing": OPTIONS})
        return build(self.corpus(), spec, spec.families["writing"])


def items_of(items: FamilyItems, task: str, setting: str) -> list[str]:
    """Ids of the items of a task that a setting has."""
    return [row["id"] for row in items.tasks[task] if setting in row["settings"]]
