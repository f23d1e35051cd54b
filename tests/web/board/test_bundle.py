"""Links into the viewer that Inspect makes of logs."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.analysis import log_viewer
from inspect_ai.log import bundle_log_dir
from pandas import DataFrame
from tests.results.audits.made_logs import write_log

from vivavoce.errors import InputError
from vivavoce.web.board.pages.item_views import find_bundle, transcript


def test_the_address_is_that_of_inspects_own_links(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "run" / "one.eval"
    table = DataFrame([{"log": str(log), "id": "sample-1", "epoch": 2}])
    mapping = {str(tmp_path / "logs"): "https://example.org/view"}
    theirs = log_viewer("sample", mapping)(table)["log_viewer"][0]
    ours = transcript("https://example.org/view/", "run/one.eval", "sample-1", 2)
    assert ours.replace("index.html", "").rstrip("/") == theirs


def test_an_id_with_a_slash_is_quoted_whole() -> None:
    found = transcript("view/", "a b/one+two.eval", "paper/table 2?", 1)
    assert found == (
        "view/index.html#/logs/a%20b/one%2Btwo.eval/samples/sample/paper%2Ftable%202%3F/1/"
    )


def test_a_folder_is_linked_from_where_the_site_lies(tmp_path: Path) -> None:
    write_log(tmp_path / "logs", {"a": 0.5})
    bundle_log_dir(str(tmp_path / "logs"), str(tmp_path / "site" / "the view"))
    assert find_bundle(str(tmp_path / "site" / "the view"), tmp_path / "site") == "the%20view/"
    assert find_bundle(str(tmp_path / "site" / "the view"), tmp_path / "elsewhere") == (
        "../site/the%20view/"
    )


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("https://example.org/view", "https://example.org/view/"),
        ("http://example.org/view/index.html", "http://example.org/view/"),
    ],
)
def test_an_address_ends_in_a_slash(given: str, found: str, tmp_path: Path) -> None:
    assert find_bundle(given, tmp_path) == found


@pytest.mark.parametrize(
    "where",
    [
        "javascript:alert(1)",
        "JavaScript:alert(1)//https://example.org/",
        "data:text/html,<script>alert(1)</script>",
        "//example.org/view",
        "https://",
        "https://example.org/view?x=1",
        "https://example.org/#/logs",
        'https://example.org/"onclick="alert(1)',
        "https://example.org/a b",
        "no-such-folder",
        "",
    ],
)
def test_nothing_else_is_linked(where: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        find_bundle(where, tmp_path)


def test_a_folder_with_another_page_is_no_viewer(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<html></html>")
    with pytest.raises(InputError, match="inspect view bundle"):
        find_bundle(str(tmp_path), tmp_path)
