"""Named encoders for dense retrieval, and loading of sentence-transformers models.

Pickled weights are never read, and no code from a model's folder is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from vivavoce.errors import InputError, MissingExtra, VivaError
from vivavoce.text.data import read_data
from vivavoce.text.tokens import INSTALL, PACKAGE, packaged_model

MODEL_FILES = (".json", ".txt", ".model", ".safetensors")
"""Suffixes of a model's files."""

_VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")


@dataclass(frozen=True, slots=True)
class Preset:
    """A named encoder; empty settings are taken from the model's own files."""

    name: str
    passages: str = ""
    """Model that encodes passages: a folder, or a name on the hub, `NAME` or `NAME@REVISION`."""
    queries: str = ""
    """Model that encodes queries, often the same."""
    pooling: Literal["", "cls", "mean"] = ""
    """`cls`: last hidden state of the first token; `mean`: its mean over all tokens."""
    similarity: Literal["", "dot", "cosine"] = ""
    """`dot`: inner product; `cosine`: inner product of normalised vectors."""
    joint: Literal["sep", "space"] = "space"
    """Separator between a paper's title and abstract: the model's separator token, or a space."""
    refused: str = ""
    """Reason why the encoder cannot be run; empty if it can."""


PRESETS = {
    name: Preset(name=name, **{"queries": entry.get("passages", ""), **entry})
    for name, entry in read_data(__file__, "presets.toml").items()
}
"""Every preset by name."""


def find_preset(model: str) -> Preset:
    """The preset of this name, or a preset for any other model, configured by its own files.

    Raises:
        InputError: The model is no preset, folder or OWNER/NAME, or it cannot be run.
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
    """Folder of a model: a local folder, an installed package, or a download from the hub."""
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
    """Load a sentence-transformers model; its own files supply what the preset leaves open."""
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
    # transformers marks the weights that it read from the files. BERT's own pooler is often missing
    # there, and no pooling here uses it.
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
