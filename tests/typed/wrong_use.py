"""Mistakes of a user; a type checker has to find each at its line, and nothing runs it."""

from vivavoce import Window, exam, leaderboard, list_tasks, load_corpus, load_round, run, score

Window("2024-01-01", "2025-01-01")  # type: ignore[arg-type]
print(list_tasks()[0].name)  # type: ignore[attr-defined]
load_round(3)  # type: ignore[arg-type]
print(load_corpus("corpus").no_such_name)  # type: ignore[attr-defined]
leaderboard("logs", resample=1000)  # type: ignore[call-arg]
leaderboard("logs").to_pandas(headline="yes")  # type: ignore[arg-type]
run("title")  # type: ignore[arg-type]
exam("papers", yes="yes")  # type: ignore[arg-type]
score("writing", "gold.jsonl", "answers.jsonl", options={"seed": 1})  # type: ignore[arg-type]
