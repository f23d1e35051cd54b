"""Check the prose: `python -m tests.prose [--count]`, part of `make check`."""

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.prose.reading import Passage, manual, package, sentences

RULES = tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))
TURNS = [(re.compile(each["pattern"], re.I), each["instead"]) for each in RULES["turns"]]


def findings(passages: Iterable[Passage]) -> Iterator[tuple[str, str]]:
    """The kind of each fault in the passages, and a line that names its place."""
    for each in passages:
        first = re.match(r"[A-Za-z]*", each.text)
        if each.docstring and first and first.group() in RULES["openings"]:
            yield "opening", f"{each.where}: the docstring begins with {first.group()!r}"
        for sentence in sentences(each.text):
            if (words := len(sentence.split())) > RULES["longest_sentence"]:
                yield "length", f"{each.where}: {words} words in one sentence: {sentence[:60]}…"
        for pattern, instead in TURNS:
            for match in pattern.finditer(each.text):
                yield "turn", f"{each.where}: {match.group()!r}; write: {instead}"


def main(arguments: list[str]) -> int:
    """Print every finding, or with --count how many of each kind; 1 when there is one."""
    found = list(findings([*manual(), *package()]))
    if "--count" in arguments:
        print(
            *(f"{kind}: {n}" for kind, n in sorted(Counter(k for k, _ in found).items())), sep="\n"
        )
    else:
        print(*(line for _, line in found), sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
