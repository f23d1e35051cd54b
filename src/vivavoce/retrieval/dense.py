"""Passages and queries as vectors of a neural encoder, compared by inner product or cosine.

Any encoder that sentence-transformers can load from safetensors works: a preset, a folder, or a
name on the hub. Pickled weights are never read, and no code from a model's folder is run. On one
machine, the same texts in the same order give the same vectors. Another machine, thread count or
batch may change the last digits.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.retrieval import Hit, best_hits, check_limit, check_queries
from vivavoce.text import read_data
from vivavoce.text.tokens import INSTALL, PACKAGE, packaged_model

MODEL_FILES = (".json", ".txt", ".model", ".safetensors")
"""Suffixes of a model's files."""

_VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")


@dataclass(frozen=True, slots=True)
class Preset:
    """A named encoder; the model's own files supply settings that are empty here."""

    name: str
    passages: str = ""
    """Model that encodes passages: a folder, or a name on the hub, `NAME` or `NAME@REVISION`."""
    queries: str = ""
    """Model that encodes queries, often the same model."""
    pooling: Literal["", "cls", "mean"] = ""
    """`cls`: last hidden state of the first token; `mean`: mean of this state over all tokens."""
    similarity: Literal["", "dot", "cosine"] = ""
    """`dot`: inner product; `cosine`: inner product of normalised vectors."""
    joint: Literal["sep", "space"] = "space"
    """Text between a paper's title and abstract: the model's separator token, or a space."""
    refused: str = ""
    """Reason why the encoder cannot be run; empty if it can be run."""


PRESETS = {
    name: Preset(name=name, **{"queries": entry.get("passages", ""), **entry})
    for name, entry in read_data(__file__, "presets.toml").items()
}
"""Every preset by name."""


def find_preset(model: str) -> Preset:
    """Find the preset with this name, or make one for another model, configured by its files.

    `InputError` if the model is not a preset, a folder or OWNER/NAME, or cannot be run.
    """
    if model in PRESETS:
        if PRESETS[model].refused:
            raise InputError(PRESETS[model].refused)
        return PRESETS[model]
    if "/" in model or Path(model).is_dir():
        return Preset(model, passages=model, queries=model)
    near = get_close_matches(model, PRESETS, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise InputError(
        f"There is no preset {model!r} for dense retrieval. {hint}The presets are "
        f"{', '.join(PRESETS)}; any other model is named by its folder or as OWNER/NAME on the hub."
    )


def find_folder(model: str) -> Path:
    """Find the folder of a model: a local folder, an installed package, or a hub download."""
    if model == PACKAGE:
        packaged = packaged_model()
        if packaged is None:
            raise VivaError(f"The preset minilm needs weights. Install them with: {INSTALL}")
        return packaged
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    name, _, revision = model.partition("@")
    if path.is_absolute() or model.startswith((".", "~")) or name.count("/") > 1:
        raise InputError(f"{model} is not a folder. Give the folder that a model was saved to.")
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise _missing_extra() from error
    wanted = [f"*{ending}" for ending in MODEL_FILES]
    try:
        return Path(snapshot_download(name, revision=revision or None, allow_patterns=wanted))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{model} is neither a local folder nor available on the hub: {error} Download it "
            "once on a machine with a network and give its folder, or run this with one; the "
            "preset minilm needs only a package."
        ) from error


def load_model(preset: Preset, folder: Path, device: str) -> Any:
    """Load a sentence-transformers model; its own files supply settings missing from the preset."""
    try:
        import torch
        import transformers
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    except ImportError as error:
        raise _missing_extra() from error
    _check_files(folder)
    safely: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    weights: dict[str, Any] = {"dtype": torch.float32, "use_safetensors": True}
    try:
        with _quiet(transformers.utils.logging):
            if preset.pooling:
                transformer = Transformer(
                    str(folder),
                    model_kwargs={**weights, **safely},
                    processor_kwargs=dict(safely),
                    config_kwargs=dict(safely),
                )
                pooling = Pooling(transformer.get_embedding_dimension(), preset.pooling)
                model = SentenceTransformer(modules=[transformer, pooling], device=device)
            else:
                model = SentenceTransformer(
                    str(folder), device=device, model_kwargs=weights, **safely
                )
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise InputError(f"{folder} cannot be loaded as an encoder: {error}") from error
    if not isinstance(model[0], Transformer):
        raise InputError(
            f"{folder} begins with the module {type(model[0]).__name__}; only a Transformer can "
            "be run here."
        )
    # The package transformers marks the weights that it read from the files. BERT's own pooler is
    # often missing from the files, and no pooling here uses it.
    missing = [
        name
        for name, weight in model[0].model.named_parameters()
        if not getattr(weight, "_is_hf_initialized", False) and not name.startswith("pooler.")
    ]
    if missing:
        raise InputError(
            f"{folder} lacks {len(missing)} of the weights that {type(model[0].model).__name__} "
            f"has, such as {missing[0]}: it was saved from another architecture."
        )
    return model


def _missing_extra() -> MissingExtra:
    return MissingExtra("sentence-transformers", "neural", "Dense retrieval")


def _check_files(folder: Path) -> None:
    """Refuse a folder that needs pickled weights, or that has no tokenizer."""
    weights = {path.parent for path in folder.rglob("*.safetensors")}
    pickled = {path.parent for path in folder.rglob("*.bin")}
    if not weights or pickled - weights:
        raise InputError(
            f"{folder} has no weights in safetensors format, and pickled ones are not read. Save "
            "the model again with save_pretrained, or name a revision on the hub that has them "
            "(NAME@refs/pr/1)."
        )
    if not any(True for pattern in _VOCABULARIES for _ in folder.rglob(pattern)):
        raise InputError(f"{folder} has no tokenizer. Save the model's tokenizer beside it.")


@contextmanager
def _quiet(logging: Any) -> Iterator[None]:
    """Silence the reports and progress bars of transformers."""
    verbosity, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if had_bars:
            logging.enable_progress_bar()


Floats = NDArray[np.float32]
Side = Literal["passage", "query"]

_BATCH = 32
_QUERIES_AT_ONCE = 64
_PROMPTS = {"passage": ("document", "passage", "corpus"), "query": ("query",)}
"""Names that models use for the prompts of each side."""


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The vectors of some texts."""

    vectors: Floats
    """One row per text, with norm 1 if the model compares by cosine."""
    is_truncated: NDArray[np.bool_]
    """True for each text longer than the model's limit, whose end was cut off."""


class Encoder:
    """A loaded model that turns passages or queries, its `side`, into vectors."""

    def __init__(self, preset: Preset, side: Side = "passage", *, device: str = "cpu") -> None:
        self.folder = find_folder(preset.passages if side == "passage" else preset.queries)
        self._preset = preset
        self._side = side
        self._model = load_model(preset, self.folder, device)
        self.similarity = preset.similarity or str(self._model.similarity_fn_name)
        if self.similarity not in ("cosine", "dot"):
            raise InputError(
                f"{self.folder} compares by {self.similarity}; only cosine and dot are supported."
            )
        self.max_tokens: int = self._model.max_seq_length

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Encode each text as a vector, in order.

        Each distinct text is encoded once. `VivaError` if the model gives vectors that are not
        finite.
        """
        if isinstance(texts, str):
            raise InputError("embed takes a list of texts; put a single text into a list.")
        # Tokenizers refuse lone surrogates.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        distinct = {text: place for place, text in enumerate(dict.fromkeys(clean))}
        places = np.array([distinct[text] for text in clean], dtype=np.int64)
        if not distinct:
            return Embeddings(np.zeros((0, 0), dtype=np.float32), np.zeros(0, dtype=np.bool_))
        embedded = self._encode(list(distinct))
        return Embeddings(embedded.vectors[places], embedded.is_truncated[places])

    def paper_text(self, title: str, abstract: str) -> str:
        """Format a paper as in the model's training: title, separator, abstract."""
        between = " "
        if self._preset.joint == "sep" and self._model.tokenizer.sep_token:
            between = self._model.tokenizer.sep_token
        return f"{title}{between}{abstract}" if abstract else title

    @property
    def _prompt(self) -> str:
        prompts = self._model.prompts
        return next((prompts[key] for key in _PROMPTS[self._side] if prompts.get(key)), "")

    def _encode(self, texts: list[str]) -> Embeddings:
        is_query = self._side == "query"
        encode = self._model.encode_query if is_query else self._model.encode_document
        vectors: Floats = encode(
            texts,
            prompt=self._prompt,
            batch_size=_BATCH,
            show_progress_bar=False,
            normalize_embeddings=self.similarity == "cosine",
        )
        if not np.isfinite(vectors).all():
            raise VivaError(
                f"{self.folder} gives vectors that are not finite: its weights are damaged."
            )
        tokens = self._model.tokenizer(
            [self._prompt + text for text in texts], truncation=False, verbose=False
        )
        is_truncated = [len(ids) > self.max_tokens for ids in tokens["input_ids"]]
        return Embeddings(vectors, np.array(is_truncated, dtype=np.bool_))


class Encoders(NamedTuple):
    """Encoders for the two sides of a search, often the same model."""

    passages: Encoder
    queries: Encoder


def open_encoders(
    model: str,
    *,
    passages: str | None = None,
    queries: str | None = None,
    device: str = "cpu",
) -> Encoders:
    """Load a preset, or any other encoder.

    `model` is the name of a preset, a folder, or a name on the hub (`NAME@REVISION` for one
    revision). `passages` and `queries` are folders or hub names of the weights for each side; by
    default those of the preset, or the same for both. `device` is torch's name for a device.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        InputError: The model cannot be found or loaded.
    """
    preset = find_preset(model)
    new = passages or preset.passages
    is_one = preset.passages == preset.queries
    preset = replace(preset, passages=new, queries=queries or (new if is_one else preset.queries))
    one = Encoder(preset, "passage", device=device)
    if preset.queries == preset.passages:
        other = copy(one)  # the same weights, with the prompt of queries
        other._side = "query"
        return Encoders(one, other)
    return Encoders(one, Encoder(preset, "query", device=device))


class DenseRetriever:
    """Passages ranked by the similarity of their vectors to the query's vector.

    Equal passages have exactly equal scores. `truncated_passages` counts those that were too long
    for the model.
    """

    def __init__(self, passages: Sequence[str], encoders: Encoders) -> None:
        distinct = {text: place for place, text in enumerate(dict.fromkeys(passages))}
        self._places = np.array([distinct[text] for text in passages], dtype=np.int64)
        self._encoder = encoders.queries
        embedded = encoders.passages.embed(list(distinct))
        self._vectors = embedded.vectors
        self.truncated_passages = int(embedded.is_truncated[self._places].sum())

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the k best passages; none for a blank query."""
        return self.search_many([query], k)[0]

    def search_many(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """Return the k best passages for each query."""
        check_limit(k)
        check_queries(queries)
        hits: list[list[Hit]] = [[] for _ in queries]
        asked = [place for place, query in enumerate(queries) if query.strip()]
        if not len(self) or not asked:
            return hits
        embedded = self._encoder.embed([queries[place] for place in asked])
        for start in range(0, len(asked), _QUERIES_AT_ONCE):
            part = slice(start, start + _QUERIES_AT_ONCE)
            scores = embedded.vectors[part] @ self._vectors.T
            for place, row in zip(asked[part], scores, strict=True):
                hits[place] = best_hits(row[self._places], k)
        return hits

    def __len__(self) -> int:
        return len(self._places)
