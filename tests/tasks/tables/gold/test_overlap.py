"""Words that captions and demands share with their tables."""

from __future__ import annotations

from vivavoce.tasks.tables.items.table_items import GoldRow, GoldTable, overlap, overlap_statistics


def table_of(columns: tuple[str, ...], *rows: tuple[str | None, ...]) -> GoldTable:
    made = tuple(GoldRow(n, f"p{n}", "", cells) for n, cells in enumerate(rows))
    return GoldTable("t", None, "cited", "", columns, made, None)


TABLE = table_of(("Training data", "Size of the model"), ("web text", "3 GB"), ("books", None))


def test_shared_words_are_told_apart_by_schema_and_values() -> None:
    found = overlap("The Data, the SIZE and 3 books of a library", TABLE)
    assert (found.schema, found.value) == (("data", "size"), ("3", "books"))
    assert overlap("The of a", TABLE).schema == ()


def test_statistics_of_three_captions_by_hand() -> None:
    prompts = [
        (TABLE, "Data size"),  # 2 tokens, schema: 2 words
        (TABLE, "Books on model data sold as text on the web, again."),  # 12: schema 2, values 3
        (TABLE, "Nothing here"),  # 2 tokens
    ]
    found = overlap_statistics(prompts)
    assert found["tables"] == 3
    assert found["schema"] == {"tables": 2, "share": 0.666667, "tokens": 2.0}  # (2 + 2) / 2
    assert found["value"] == {"tables": 1, "share": 0.333333, "tokens": 3.0}
    lengths = found["lengths"]
    # 11 words, a comma and a full stop
    assert (lengths["min"], lengths["mean"], lengths["max"]) == (2, 5.666667, 13)
    assert lengths["bars"] == [
        {"from": 0, "to": 9, "prompts": 2, "overlapping": 1},
        {"from": 10, "to": 19, "prompts": 1, "overlapping": 1},
    ]


def test_no_prompts_have_no_means() -> None:
    found = overlap_statistics([])
    assert found["schema"] == {"tables": 0, "share": None, "tokens": None}
    assert found["lengths"]["bars"] == []
    assert found["lengths"]["mean"] is None
