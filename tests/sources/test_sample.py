import re
from pathlib import Path

import pytest

from vivavoce.errors import InputError
from vivavoce.records import Document
from vivavoce.sources import get_source
from vivavoce.sources.sample import read_papers

CORPUS = read_papers(60)


def body_of(document: Document) -> str:
    return "\n\n".join(section.text for section in document.sections)


def flatten(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def number_of(document: Document) -> int:
    return int(document.key.removeprefix("sample-"))


def test_neither_title_nor_abstract_stands_in_the_body() -> None:
    for document in CORPUS:
        body = flatten(body_of(document))
        assert document.title is not None
        assert flatten(document.title) not in body
        sentences = re.split(r"(?<=[.?])\s", document.abstract or "")
        assert not [sentence for sentence in sentences if sentence and flatten(sentence) in body]


def test_results_agree_with_the_cells_of_the_tables() -> None:
    scores = {result.method: result.score_text for paper in CORPUS for result in paper.results}
    for document in CORPUS:
        (result,) = document.results
        comparison, ablation = document.tables[:2]
        assert comparison.cells[0][1] == f"{result.dataset}, {result.metric}"
        assert comparison.cells[-1] == (f"{result.method} (ours)", result.score_text)
        assert ("complete", result.score_text) in ablation.cells
        assert float(result.score_text) == result.score
        rivals = comparison.cells[1:-1]
        assert len(rivals) == len(comparison.cited) >= 2
        for (system, score), ordinal in zip(rivals, comparison.cited, strict=True):
            name, label = re.fullmatch(r"(.+?) \((.+)\)", system).groups()  # type: ignore[union-attr]
            assert label.startswith(document.references[ordinal].first_author or "?")
            assert label.endswith(str(document.references[ordinal].year))
            assert name.startswith("Baseline ") or scores[name] == score


@pytest.mark.parametrize("where", ["sixty", "0", "401", "papers/60.json"])
def test_anything_but_a_number_in_range_is_refused(where: str) -> None:
    with pytest.raises(InputError, match="viva ingest sample 60"):
        list(get_source("sample").pieces(Path(where)))
