"""Pages of items: what stands on them, what leads where, and what hostile answers cannot do."""

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from lxml import html
from tests.results.answered_logs import answered
from tests.results.audits.made_logs import judge_note, write_log
from tests.web.board.board_rows import text_of

from vivavoce.results.board.building import leaderboard
from vivavoce.results.logs.sample_texts import choose_item_texts
from vivavoce.results.logs.selection import select_logs
from vivavoce.store import hash_tree
from vivavoce.web.board.model import site_of
from vivavoce.web.board.page import write_pages
from vivavoce.web.board.samples import pages
from vivavoce.web.board.site import static_files

LIMIT = 300_000
HOSTILE = [
    "<script>window.__xss=1</script>",
    "</pre></article><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[click](javascript:alert(1))",
    "{{ 7*7 }}{% raw %}",
    "right to left \u202egnp.exe and nothing\x00\u200b",
]


def build(logs: Path, out: Path, count: int = 3, seed: int = 0) -> list[str]:
    """Sample pages of a folder of logs."""
    site = site_of(leaderboard(logs, resamples=20))
    chosen, _ = select_logs(logs)
    items = choose_item_texts(chosen, count=count, seed=seed)
    return write_pages([*pages(site, items), *static_files()], out)


def page_of(built: list[str], out: Path, name: str) -> html.HtmlElement:
    (path,) = [p for p in built if f"/{name}-" in p and p.endswith(".html")]
    return html.fromstring((out / path).read_bytes())


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for model, low in (("lab/one", 0.2), ("lab/two", 0.6)):
        path = write_log(folder, {"a": low, "b": low + 0.1, "c": low + 0.2}, model=model)
        answered(path, f"{model} speaks", explanation="counted words")
    return folder


def test_a_page_has_input_gold_and_all_answers_best_first(logs: Path, tmp_path: Path) -> None:
    page = page_of(build(logs, tmp_path / "site"), tmp_path / "site", "a")
    assert text_of(page.xpath("//h1")[0]) == "a"
    passages = {p.get("aria-label"): p.text_content() for p in page.xpath("//pre")}
    assert passages["Input"] == "asked a"
    assert passages["Gold"] == "gold of a"
    assert passages["Answer of lab/one"] == "lab/one speaks"
    assert passages["The scorer’s explanation for lab/one"] == "counted words"
    assert [text_of(name) for name in page.xpath("//h3")] == ["lab/two", "lab/one"]
    scores = page.xpath("//article[1]//dl[@class='scores']/div")
    assert [text_of(score) for score in scores] == ["rougeL0.600", "rouge10.600"]


def test_lists_lead_to_items_and_items_to_each_other(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    built = build(logs, out)
    reached, waiting = set(), ["samples/index.html"]
    while waiting:
        path = waiting.pop()
        if path in reached or not path.startswith("samples/"):
            continue
        reached.add(path)
        if path.endswith(".html"):
            for address in html.fromstring((out / path).read_bytes()).xpath("//main//a/@href"):
                target = (out / path).parent.joinpath(address).resolve()
                waiting.append(target.relative_to(out.resolve()).as_posix())
    assert {p for p in built if p.startswith("samples/")} == reached


def entitle(path: Path, metadata: dict[str, Any]) -> None:
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        sample.metadata |= metadata
    write_eval_log(log, str(path))


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [
        ({"title": "On <b>Graphs</b>"}, "On <b>Graphs</b>"),
        (
            {"board": {"task": "Parsing", "dataset": "Trees", "metric": "F1", "extra": "no"}},
            "Parsing · Trees · F1",
        ),
        ({"title": "x" * 400}, "x" * 160 + "… (+140 characters)"),
    ],
)
def test_an_item_is_headed_by_its_title_with_its_id_below(
    metadata: dict[str, Any], shown: str, tmp_path: Path
) -> None:
    path = write_log(tmp_path / "logs", {"a": 0.2}, model="lab/one")
    answered(path, "lab/one speaks")
    entitle(path, metadata)
    out = tmp_path / "site"
    built = build(tmp_path / "logs", out)
    page = page_of(built, out, "a")
    head = page.xpath("//h1")[0]
    assert text_of(head) == shown
    assert text_of(head.getnext()) == "a"
    assert page.xpath("string(//title)").startswith(shown)
    (listed,) = [p for p in built if p.count("/") == 3 and p.endswith("index.html")]
    row = html.fromstring((out / listed).read_bytes()).xpath("//tbody/tr/th")[0]
    assert text_of(row.xpath("a")[0]) == shown
    assert text_of(row.xpath("small")[0]).startswith("a")


def test_a_list_shows_mean_worst_and_best_without_floor_and_ceiling(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for model, method, value in (
        ("lab/one", "direct", 0.2),
        ("lab/two", "direct", 0.6),
        ("none/none", "oracle", 1.0),
        ("none/none", "null", 0.0),
    ):
        write_log(logs, {"a": value}, model=model, method=method)
    built = build(logs, tmp_path / "site")
    (path,) = [p for p in built if p.count("/") == 3 and p.endswith("index.html")]
    row = html.fromstring((tmp_path / "site" / path).read_bytes()).xpath("//tbody/tr")[0]
    # (0.2 + 0.6) / 2 = 0.4
    assert [text_of(cell) for cell in row.xpath("td")] == ["0.400", "0.200", "0.600", "4 answers"]


def test_a_long_answer_is_cut_and_says_so(logs: Path, tmp_path: Path) -> None:
    long = "word " * 20_000
    for path in sorted(logs.glob("*.eval"))[:1]:
        answered(path, long)
    out = tmp_path / "site"
    built = build(logs, out)
    page = page_of(built, out, "a")
    shown = page.xpath("//pre[@aria-label='Answer of lab/one']")[0].text_content()
    assert len(shown) < len(long)
    left = len(long) - len(shown)
    assert f"and {left:,} more characters" in text_of(page.xpath("//p[@class='cut']")[0])


def test_many_long_hostile_answers_stay_below_the_limit_and_inert(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for number in range(45):
        path = write_log(logs, {"a": number / 100}, model=f"lab/{HOSTILE[number % 6]} {number:02d}")
        answered(path, HOSTILE[number % 6] * 3_000, explanation=HOSTILE[(number + 1) % 6] * 900)
    out = tmp_path / "site"
    built = build(logs, out)
    (path,) = [p for p in built if "/a-" in p and p.endswith(".html")]
    content = (out / path).read_bytes()
    assert len(content) < LIMIT
    page = html.fromstring(content)
    assert len(page.xpath("//article")) == 45
    assert [s.get("src") for s in page.xpath("//script")] == ["../../../board.js"]
    assert not page.xpath("//img")
    assert not page.xpath("//@*[starts-with(name(), 'on')]")
    assert not [a for a in page.xpath("//@href") if "script:" in a.lower()]
    assert "\u202e".encode() not in content
    assert b"49" not in content.split(b"{{ 7*7 }}")[0][-20:]


def test_every_attempt_is_there_and_the_order_is_by_their_mean(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    # Means 0.5 and 0.4: the second's better first attempt does not put it in front.
    for model, values in (("lab/one", [0.2, 0.8, 0.5]), ("lab/two", [0.6, 0.2, None])):
        path = write_log(logs, {"a": values}, model=model)
        answered(path, "begins", "goes on", "ends")
    out = tmp_path / "site"
    built = build(logs, out)
    page = page_of(built, out, "a")
    assert [text_of(name) for name in page.xpath("//h3")] == ["lab/one", "lab/two"]
    told = [text_of(each) for each in page.xpath("//article/p[@class='use']")]
    assert told == [
        "All attempts: 0.200, 0.800, 0.500; mean 0.500",
        "All attempts: 0.600, 0.200, undefined; mean 0.400",
    ]
    assert [p.text_content() for p in page.xpath("//article[1]//pre")] == ["begins"]
    (row,) = html.fromstring(
        next((out / p).read_bytes() for p in built if p.count("/") == 3 and "index" in p)
    ).xpath("//tbody/tr")
    # Mean, worst and best of 0.5 and 0.4.
    assert [text_of(cell) for cell in row.xpath("td")] == ["0.450", "0.400", "0.500", "2 answers"]


def test_equal_looking_ids_and_paths_stay_inside_and_apart(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    names = ["../../../../evil", "Same", "same", "s\u0430me", "a/b", "a-b", "CON", ".."]
    path = write_log(logs, dict.fromkeys(names, 0.5))
    answered(path, "hello")
    out = tmp_path / "deep" / "site"
    built = build(logs, out, count=20)
    shown = [p for p in built if p.count("/") == 3 and not p.endswith("index.html")]
    assert len({p.lower() for p in shown if p.endswith(".html")}) == len(names)
    assert sorted(hash_tree(tmp_path / "deep")) == sorted(
        [*(f"site/{p}" for p in built), "site/site.json"]
    )


def test_a_judges_verdict_is_spelled_out(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    note = judge_note("jury/<b>x", "first", "second", style="first")
    path = write_log(logs, {"a": 0.5}, judge="jury/x", notes={"a": note})
    answered(path, "hello")
    page = page_of(build(logs, tmp_path / "site"), tmp_path / "site", "a")
    table = page.xpath("//table[@class='verdicts']")[0]
    assert "jury/<b>x" in text_of(table.xpath("caption")[0])
    rows = [[text_of(cell) for cell in row] for row in table.xpath("tbody/tr")]
    assert rows[0] == ["overall", "answer", "answer", "answer"]


def test_who_was_shown_something_else_is_reported(logs: Path, tmp_path: Path) -> None:
    path = write_log(logs, {"a": 0.1, "b": 0.1, "c": 0.1}, model="lab/small")
    log = read_eval_log(str(path))
    for sample in log.samples or []:
        sample.input = "cut"
    write_eval_log(log, str(path))
    page = page_of(build(logs, tmp_path / "site"), tmp_path / "site", "a")
    told = {text_of(a.find(".//h3")): text_of(a) for a in page.xpath("//article")}
    assert "a different input, of 3 characters" in told["lab/small"]
    assert "another input" not in told["lab/one"]


def test_only_what_a_new_log_touches_is_made_again(logs: Path, tmp_path: Path) -> None:
    answered(write_log(logs, {"a": 0.5}, model="lab/one", setting="random"), "elsewhere")
    out = tmp_path / "site"
    build(logs, out)
    assert build(logs, out) == []
    answered(write_log(logs, {"a": 0.5}, model="lab/two", setting="random"), "new")
    written = build(logs, out)
    assert written
    assert all("title-random" in path for path in written)


def test_values_without_a_number_are_words(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    made: dict[str, Any] = {"a": None, "b": 0.5}
    answered(write_log(logs, made), "hello")
    out = tmp_path / "site"
    built = build(logs, out)
    scores = page_of(built, out, "a").xpath("//dl[@class='scores']//dd")
    assert [text_of(score) for score in scores] == ["undefined", "undefined"]
