"""Mistakes of a user; a type checker has to find each at its line, and nothing runs it."""

from __future__ import annotations

from vivavoce import Window, exam, leaderboard, list_tasks, load_corpus, load_round, run, score

Window("2024-01-01", "2025-01-01")  # wrong
print(list_tasks()[0].name)  # wrong
load_round(3)  # wrong
print(load_corpus("corpus").no_such_name)  # wrong
leaderboard("logs", resample=1000)  # wrong
leaderboard("logs").to_pandas(headline="yes")  # wrong
run("title")  # wrong
exam("papers", yes="yes")  # wrong
score("writing", "gold.jsonl", "answers.jsonl", options={"seed": 1})  # wrong
