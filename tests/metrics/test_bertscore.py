"""BERTScore on a small random encoder that is made here, against bert-score and by hand."""

import random
import shutil
import sys
from pathlib import Path

import pytest
from tests.small_models import needs, save_bert

from vivavoce.errors import InputError, MissingExtra
from vivavoce.metrics.neural import NAMES, BertScorer

pytestmark = needs("torch", "transformers")

WORDS = ["model", "paper", "graph", "learn", "##ing", "##s", "data", "score", "neural", "a", "the"]
LETTERS = [chr(code) for code in range(ord("a"), ord("z") + 1)]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
VOCABULARY += [piece for letter in LETTERS for piece in (letter, f"##{letter}")]
LAYER = 2


@pytest.fixture(scope="module")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a BERT of three layers, random but the same each time."""
    folder = tmp_path_factory.mktemp("bert")
    sizes = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
    save_bert(
        folder, list(dict.fromkeys(VOCABULARY)), 64, is_told=True, intermediate_size=64, **sizes
    )
    return folder


@pytest.fixture(scope="module")
def scorer(model_dir: Path) -> BertScorer:
    return BertScorer(str(model_dir), LAYER)


def random_pairs(count: int) -> list[tuple[str, str]]:
    chance = random.Random(0)
    words = "model papers graphs learning Data scores neural the x-ray naïve".split()

    def text() -> str:
        return " ".join(chance.choices(words, k=chance.randint(1, 90)))

    return [(text(), text()) for _ in range(count)]  # some are cut at 64 tokens


def test_40_pairs_equal_the_reference_implementation(model_dir: Path, scorer: BertScorer) -> None:
    bert_score = pytest.importorskip("bert_score", reason="needs pip install bert-score")
    pairs = random_pairs(40)
    expected = bert_score.score(
        [prediction for prediction, _ in pairs],
        [reference for _, reference in pairs],
        model_type=str(model_dir),
        num_layers=LAYER,
    )
    scores = scorer.score(pairs)
    for name, values in zip(NAMES, expected, strict=True):
        assert [score[name] for score in scores] == pytest.approx(values.tolist(), abs=1e-5)


def test_matching_by_hand(model_dir: Path, scorer: BertScorer) -> None:
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(model_dir)
    model = transformers.AutoModel.from_pretrained(model_dir)
    vectors = []
    for text in ("learning graphs", "the neural paper"):
        with torch.no_grad():
            output = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
        hidden = output.hidden_states[LAYER][0]
        vectors.append((hidden / hidden.norm(dim=1, keepdim=True)).tolist())
    cosines = [
        [sum(a * b for a, b in zip(x, y, strict=True)) for y in vectors[1]] for x in vectors[0]
    ]
    rows = [max(row) for row in cosines][1:-1]  # without [CLS] and [SEP]
    columns = [max(column) for column in zip(*cosines, strict=True)][1:-1]
    p, r = sum(rows) / len(rows), sum(columns) / len(columns)
    [score] = scorer.score([("learning graphs", "the neural paper")])
    assert (score["bertscore_p"], score["bertscore_r"]) == (
        pytest.approx(p, abs=1e-6),
        pytest.approx(r, abs=1e-6),
    )
    assert score["bertscore_f1"] == pytest.approx(2 * p * r / (p + r), abs=1e-6)


def test_each_distinct_text_is_encoded_once(
    model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    references = [f"the paper {number}" for number in "abcdefgh"]
    pairs = [
        (f"model {system} learn {reference}", reference)
        for system in "stuvwxyz"
        for reference in references
    ]
    pairs += [("the same answer for all", reference) for reference in references]
    scorer, encoded = BertScorer(str(model_dir), LAYER), list[str]()
    encode = scorer._encode
    monkeypatch.setattr(scorer, "_encode", lambda tokens: encoded.extend(tokens) or encode(tokens))
    scorer.score(pairs)
    assert len(encoded) == len(set(encoded)) == 8 * 8 + 8 + 1


def test_scores_do_not_depend_on_the_company(scorer: BertScorer) -> None:
    pairs = random_pairs(30)
    together = scorer.score(pairs)
    backwards = scorer.score(pairs[::-1])[::-1]
    alone = [scorer.score([pair])[0] for pair in pairs]
    for other in (backwards, alone):
        for one, two in zip(together, other, strict=True):
            assert list(one.values()) == pytest.approx(list(two.values()), abs=1e-6)


@pytest.mark.parametrize("empty", ["", "  \n", "\x00", "[SEP]"])
def test_a_text_without_a_token_scores_nothing(scorer: BertScorer, empty: str) -> None:
    for pair in ((empty, "the paper"), ("the paper", empty), (empty, empty)):
        [score] = scorer.score([pair])
        assert set(score.values()) == {0.0}
    assert scorer.score([]) == []


def test_a_text_equals_itself_and_scores_stay_in_range(scorer: BertScorer) -> None:
    texts = ["the paper", "\ud800 lone", "naïve ☃ graph", "a " * 100_000]
    for score in scorer.score([(text, text) for text in texts]):
        assert score == pytest.approx(dict.fromkeys(score, 1.0), abs=1e-6)
        assert max(score.values()) <= 1.0


@pytest.mark.parametrize(("words", "is_cut"), [(509, False), (510, True)])
def test_texts_are_cut_at_512_tokens(tmp_path: Path, words: int, is_cut: bool) -> None:
    scorer = BertScorer(save_bert(tmp_path, VOCABULARY[:16], 600), LAYER)
    same = "paper " * words
    [score] = scorer.score([(f"{same} model", f"{same} graph")])
    assert (score["bertscore_f1"] == pytest.approx(1.0, abs=1e-6)) is is_cut


@pytest.mark.parametrize("layer", [0, 4, -1])
def test_a_layer_that_is_not_there_is_refused(model_dir: Path, layer: int) -> None:
    with pytest.raises(InputError, match="a layer from 1 to 3"):
        BertScorer(str(model_dir), layer)


def test_pickled_weights_are_not_loaded(model_dir: Path, tmp_path: Path) -> None:
    import torch
    import transformers

    folder = shutil.copytree(model_dir, tmp_path / "bert")
    (folder / "model.safetensors").unlink()
    weights = transformers.AutoModel.from_pretrained(model_dir).state_dict()
    torch.save(weights, folder / "pytorch_model.bin")
    with pytest.raises(InputError, match="cannot be loaded"):
        BertScorer(str(folder), LAYER)


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_the_extra_it_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"{package}.*vivavoce\[neural\]"):
        BertScorer("roberta-large")
