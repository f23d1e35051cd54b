"""The leaderboard as a folder of plain files that open anywhere, without a server."""

from __future__ import annotations

from vivavoce.web.board.site import write_site

__all__ = ["write_site"]
