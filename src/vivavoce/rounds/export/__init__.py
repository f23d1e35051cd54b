"""Rounds given to others: as a Hugging Face folder, as JSON Lines, or as ids to rebuild them by."""

from vivavoce.rounds.export.folders import FORMATS, export_round
from vivavoce.rounds.export.rebuilding import is_ids_export, rebuild_round

__all__ = ["FORMATS", "export_round", "is_ids_export", "rebuild_round"]
