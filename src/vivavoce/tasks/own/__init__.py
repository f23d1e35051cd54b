"""Questions from a user's table, scored against their gold by one metric."""

from vivavoce.metrics import FaultyAnswer, Values
from vivavoce.metrics.tables.cell_matching import read_number
from vivavoce.store import Row
from vivavoce.tasks.family import Arguments, FamilyTask, Item, View
from vivavoce.text.answers import without_wrapper

_FACTS = ("category", "tolerance")


class OwnQuestion(FamilyTask[Arguments]):
    """Questions from a table, with metrics that compare answer and gold."""

    def sample(self, row: Row, view: View[Arguments]) -> Item:
        """Make the item of a question."""
        prompt = view.prompts.render(view.task, {"content": row["input"]}, {})
        return Item(row["id"], prompt, row["gold"], {name: row[name] for name in _FACTS})

    def measure(self, answer: str, row: Row) -> Values:
        """Check an answer: without words it is malformed, if the gold has words."""
        if any(map(str.isalnum, row["target"])) and not any(map(str.isalnum, answer)):
            raise FaultyAnswer("malformed")
        return {}


class NumberQuestion(OwnQuestion):
    """Questions that ask for a number."""

    def measure(self, answer: str, row: Row) -> Values:
        """Check an answer: without exactly one number it is malformed."""
        if read_number(without_wrapper(answer)) is None:
            raise FaultyAnswer("malformed")
        return {}


_QUESTION = OwnQuestion()
TASKS = {
    "own_match": _QUESTION,
    "own_number": NumberQuestion(),
    "own_list": _QUESTION,
    "own_text": _QUESTION,
}
