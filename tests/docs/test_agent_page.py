"""The page on agents names the tasks that give tools: those of the cards."""

import json
import re

from tests.conftest import ROOT
from tests.servers.commands import viva_here

from vivavoce.tasks import list_families, open_round
from vivavoce.tasks.lookup import create_task

PAGE = (ROOT / "docs" / "how-to" / "model.md").read_text("utf-8")


def test_the_page_and_the_list_name_the_tools_of_the_cards() -> None:
    of_page = re.findall(r"^\| `(\w+)` \| (\w+) \| `search`, `read` \|$", PAGE, re.MULTILINE)
    of_cards = [
        (name, family)
        for family, card in list_families().items()
        for name, task in card.tasks.items()
        if task.tools == ("search", "read")
    ]
    assert sorted(of_page) == sorted(of_cards)
    rows = json.loads(viva_here("list", "tasks", "--json").stdout)
    listed = {(row["task"].rpartition("/")[2], row["family"]) for row in rows if row["tools"]}
    assert listed == set(of_cards)


def test_items_have_papers_to_search_where_the_card_says_so() -> None:
    opened = open_round("sample")
    tried = 0
    for family, task in opened.tasks():
        card = list_families()[family].tasks[task]
        setting = "open" if "open" in card.settings else "base"
        first = create_task(task, {"round": "sample", "setting": setting}).dataset[0]
        assert bool((first.metadata or {}).get("library")) == bool(card.tools), task
        tried += 1
    assert tried >= 6
