"""Calls of methods for tables: fitted to the window, read, and repeated once if unusable.

A sample's metadata must have: `demand`, `pool` (label, title and abstract of each paper, and its
text if that is not in the round's `library`), `prompts` (folder of templates) and `max_tokens`. The
method's record is added under `RECORD`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from inspect_ai.model import GenerateConfig, ModelOutput, get_model
from inspect_ai.solver import TaskState

from vivavoce.errors import InputError
from vivavoce.tasks.methods.direct import check_context, generate_with_retry, say
from vivavoce.tasks.prompting import (
    Rendered,
    fence_mark,
    folder_at,
    join_texts,
    load_prompts,
    shifted,
    without_mark,
)
from vivavoce.tasks.prompting.fitting import Fitting, Group, fit
from vivavoce.tasks.prompting.windows import TokenCounter, measure
from vivavoce.tasks.scoring.guard import answer_of, find_fault
from vivavoce.tasks.tables.item import PoolText, answer_text, read_pool
from vivavoce.tasks.tables.replies import UnusableReply
from vivavoce.tasks.tables.working_table import WorkingTable

RECORD, FAULT = "table_run", "fault"
"""Keys of a method's record in a sample's metadata, and of the last fault in the record."""
_COUNTS = ("calls", "malformed", "skipped", "digests", "tokens", "cut", "overflows")
ATTEMPTS = 2
"""Maximum requests for an answer."""
AGAIN = "again"
"""Template that states the fault of the last answer."""
_ANSWER_SHARE = 3
"""Divisor of the window; at most this part is reserved for the answer."""
_NARROWINGS = 4
"""Further tries with a shorter prompt after an overflow."""
_MAX_COMPLAINT = 300

Read = TypeVar("Read")


class TableRun:
    """Work on a table for one sample.

    Args:
        state: The sample.
        context: Window in tokens; by default what the provider or the model table says.
        cot: True to ask for reasoning before each answer.
        templates: Names of the prompts, each with its slots besides the demand.

    Raises:
        InputError: A template cannot be used; raised before any call is paid.
    """

    def __init__(
        self,
        state: TaskState,
        context: int | None,
        *,
        cot: bool,
        templates: Mapping[str, Sequence[str]],
    ) -> None:
        self.state = state
        self.demand = str(state.metadata["demand"])
        self.papers = read_pool(state.metadata)
        self.record: dict[str, Any] = {**dict.fromkeys(_COUNTS, 0), "faults": []}
        state.metadata[RECORD] = self.record
        self._cot = cot
        self._prompts = load_prompts(folder_at(state.metadata["prompts"]))
        self._model = get_model()
        self._measure = measure(str(self._model), self._model.api, context)
        self._window = self._measure.window
        texts = (text for one in self.papers for text in (one.title, one.abstract, one.text))
        self._mark = fence_mark([self.demand, *texts])
        self._again(Rendered("", {}), "")
        for name, slots in templates.items():
            self.prompt(name, dict.fromkeys(slots, ""))

    @property
    def labels(self) -> list[str]:
        """Labels of the pool's papers, in order."""
        return [paper.label for paper in self.papers]

    @property
    def counter(self) -> TokenCounter:
        """Counts the model's tokens."""
        return self._measure.counter

    def prompt(
        self, name: str, slots: Mapping[str, str], listings: Mapping[str, Rendered] | None = None
    ) -> Rendered:
        """A prompt with the demand and the slots inside listings."""
        inner = listings or {}
        texts = {slot: listing.text for slot, listing in inner.items()}
        fenced = {slot: without_mark(text, self._mark) for slot, text in slots.items()}
        given = {"demand": self.demand, **fenced, **texts}
        prompt = self._prompts.render(name, given, {"cot": self._cot, "mark": self._mark})
        for slot, listing in inner.items():
            prompt = prompt.with_inner(slot, listing)
        return prompt

    def listing(self, name: str, entries: Sequence[tuple[str, Mapping[str, str]]]) -> Rendered:
        """Entries one after another, each with its slots named `slot label`."""
        shown = []
        for label, slots in entries:
            given = {
                slot: without_mark(value, self._mark)
                for slot, value in slots.items()
                if value or slot == "title"
            }
            shown.append(self._prompts.render(name, given, {"label": label, "mark": self._mark}))
        text, places = join_texts((entry.text for entry in shown), "\n")
        spans = {
            f"{slot} {label}": shifted(span, start)
            for (label, _), entry, (start, _) in zip(entries, shown, places, strict=True)
            for slot, span in entry.spans.items()
        }
        return Rendered(text, spans)

    def paper_listing(self, papers: Sequence[PoolText], *, texts: bool) -> Rendered:
        """Papers with title and abstract, and optionally texts."""
        shown = []
        for paper in papers:
            text = paper.text if texts else ""
            slots = {"title": paper.title, "abstract": paper.abstract, "text": text}
            shown.append((paper.label, slots))
        return self.listing("paper", shown)

    async def ask(
        self, prompt: Rendered, cuts: Sequence[Group], read: Callable[[str], Read]
    ) -> Read | None:
        """Ask for an answer and read it; None if it was unusable twice.

        The slots in `cuts` may be cut, in order; `read` raises `UnusableReply`.
        """
        complaint = None
        for _ in range(ATTEMPTS):
            output = await self._ask_fitting(prompt, cuts, complaint)
            if output is None:
                break
            try:
                return read_output(output, read)
            except UnusableReply as error:
                complaint = str(error)
                self.record["malformed"] += 1
                self.record[FAULT] = find_fault(output) or "malformed"
        self.record["skipped"] += 1
        return None

    async def ask_about(
        self,
        paper: PoolText,
        name: str,
        slots: Mapping[str, str],
        read: Callable[[str], Read],
        further: Sequence[Group] = (),
    ) -> Read | None:
        """Ask about one paper, whose text, abstract and `further` slots may be cut, in order."""
        prompt = self.prompt(name, slots, {"paper": self.paper_listing([paper], texts=True)})
        cuts = [f"text {paper.label}", f"abstract {paper.label}", *further]
        return await self.ask(prompt, cuts, read)

    async def _ask_fitting(
        self, prompt: Rendered, cuts: Sequence[Group], complaint: str | None
    ) -> ModelOutput | None:
        """Ask with as much of the prompt as the provider accepts; None if it accepts none."""
        for _ in range(_NARROWINGS + 1):
            try:
                output, fitted = await self.send(prompt, cuts, complaint)
            except InputError:
                if complaint is None and not self.record["overflows"]:
                    raise
                return None  # no room is left for the fixed parts or the fault
            if find_fault(output) != "overflow":
                return output
            # The window is unknown, or the text has more tokens than were counted.
            self.record["overflows"] += 1
            self.record[FAULT] = "overflow"
            narrower = fitted.tokens * 3 // 4 + fitted.reserved
            self._window = min(self._window or narrower, narrower)
        return None

    async def send(
        self,
        prompt: Rendered,
        cuts: Sequence[Group],
        complaint: str | None = None,
        *,
        is_fitted: bool = True,
    ) -> tuple[ModelOutput, Fitting]:
        """Send a prompt once, cut to the window if `is_fitted`, and count the call.

        Slots in `cuts` that the prompt does not have are ignored.
        """
        if complaint is not None:
            prompt = self._again(prompt, complaint)
        window = self._window if is_fitted else None
        room = self._room(window)
        reserved = room + self._measure.overhead
        groups = [(group,) if isinstance(group, str) else group for group in cuts]
        known = [tuple(slot for slot in group if slot in prompt.spans) for group in groups]
        fitted = fit(prompt, known, self.counter, window=window, reserved=reserved)
        self.record["cut"] += bool(fitted.cuts)
        message = say(self.state, fitted.prompt.text)
        self.record["calls"] += 1
        config = GenerateConfig(max_tokens=room)
        output = await generate_with_retry(self._model, [message], config=config)
        if output.usage is not None:
            self.record["tokens"] += output.usage.total_tokens
        else:  # the provider does not report it
            self.record["tokens"] += fitted.tokens + self.counter.count(output.completion)
        return output, fitted

    def room_beside(self, prompt: Rendered) -> int | None:
        """Tokens left free by a prompt; negative if it is too long, None if unknown."""
        if self._window is None:
            return None
        reserved = self._room(self._window) + self._measure.overhead
        return self._window - reserved - self.counter.count(prompt.text)

    def fits(self, prompt: Rendered) -> bool:
        """True if a prompt fits uncut, as far as the window is known."""
        room = self.room_beside(prompt)
        return room is None or room >= 0

    def note_faults(self, faults: Sequence[str]) -> None:
        """Record the first skipped changes."""
        kept: list[str] = self.record["faults"]
        kept.extend(faults[: max(0, 20 - len(kept))])

    def finish(self, table: WorkingTable) -> TaskState:
        """Make a table the sample's answer."""
        output = ModelOutput.from_content(str(self._model), answer_text(table.as_table()))
        return self.answer(output)

    def answer(self, output: ModelOutput) -> TaskState:
        """Make an output the sample's answer."""
        self.state.output = output
        if output.choices:
            self.state.messages.append(output.message)
        return self.state

    def _room(self, window: int | None) -> int:
        longest = int(self.state.metadata["max_tokens"])
        return longest if window is None else max(1, min(longest, window // _ANSWER_SHARE))

    def _again(self, prompt: Rendered, complaint: str) -> Rendered:
        rendered = self._prompts.render(AGAIN, {"fault": complaint[:_MAX_COMPLAINT]}, {})
        return Rendered(f"{prompt.text}\n\n{rendered.text}", prompt.spans, prompt.blocks)


def read_output(output: ModelOutput, read: Callable[[str], Read]) -> Read:
    """The content of an output; `UnusableReply` for a fault, or if `read` refuses it."""
    if fault := find_fault(output):
        raise UnusableReply(f"It is not an answer ({fault}).")
    return read(answer_of(output))


def check_common(context: object, **switches: object) -> None:
    """Raise `InputError` for an invalid window or switch."""
    check_context(context)
    for name, value in switches.items():
        if type(value) is not bool:
            raise InputError(f"{name}={value!r} is neither true nor false.")
