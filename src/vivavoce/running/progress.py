"""Tells how far a run is, sample by sample."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int], None]
"""Called with (samples done, samples in all)."""


def listen(progress: Progress | None, total: int) -> None:
    """Tell `progress` of every sample that ends from now on; None to stop telling."""
    from inspect_ai.hooks import Hooks, SampleEnd, hooks

    ended: set[tuple[str, str]] = set()

    # Hooks cannot be taken back, but one of the same name replaces the one before.
    @hooks(name="vivavoce/progress", description="Counts samples for a progress bar.")
    class ProgressHooks(Hooks):
        async def on_sample_end(self, data: SampleEnd) -> None:
            ended.add((data.eval_id, data.sample_id))
            if progress:
                progress(min(len(ended), total), total)
