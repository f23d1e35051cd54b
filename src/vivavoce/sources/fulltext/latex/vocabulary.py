"""Commands and environments that the reader knows: symbols, accents, and handling of arguments.

The lists are data, in `vocabulary.toml`.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from importlib import resources

_LISTS = tomllib.loads((resources.files(__package__) / "vocabulary.toml").read_text("utf-8"))
_COMBINING: dict[str, str] = _LISTS["accents"]
ACCENTS = frozenset(f"\\{name}" for name in _COMBINING)
SYMBOLS: dict[str, str] = {f"\\{name}": text for name, text in _LISTS["symbols"].items()}
SECTIONS: dict[str, int] = {f"\\{name}": level for name, level in _LISTS["sections"].items()}
SILENT = {
    f"\\{name}": int(count) for count, names in _LISTS["silent"].items() for name in names.split()
}
"""Commands that print nothing, with the number of arguments in braces that go with them."""
CITE = re.compile(r"\\(?:[A-Za-z]*cite[a-z]*|[Cc]iteauthor)")
MATH, TABLES, FIGURES, HIDDEN, ABSTRACT_ENVIRONMENTS = (
    frozenset(_LISTS["environments"][name].split())
    for name in ("math", "tables", "figures", "hidden", "abstracts")
)
TABULARS: dict[str, int] = _LISTS["tabulars"]
ENVIRONMENT_ARGUMENTS: dict[str, int] = _LISTS["environment_arguments"]
_OWN_ENVIRONMENTS = ABSTRACT_ENVIRONMENTS | TABLES | FIGURES | MATH | frozenset(TABULARS)
_DOTLESS = {"ı": "i", "ȷ": "j"}


def _commands(names: str) -> frozenset[str]:
    return frozenset(f"\\{name}" for name in names.split())


TITLES = _commands(_LISTS["commands"]["titles"])
AUTHORS = _commands(_LISTS["commands"]["authors"])
ABSTRACTS = _commands(_LISTS["commands"]["abstracts"])
PLAIN = _commands(_LISTS["commands"]["plain"])
NO_CITE = _commands(_LISTS["commands"]["no_citation"])
_OWN = (
    TITLES
    | AUTHORS
    | ABSTRACTS
    | PLAIN
    | ACCENTS
    | frozenset((*SECTIONS, *SILENT, *SYMBOLS))
    | frozenset(
        f"\\begin{{{name}}}" for name in _OWN_ENVIRONMENTS | {"document", "itemize", "enumerate"}
    )
) - _commands(_LISTS["commands"]["redefinable"])


def accented(command: str, letters: str) -> str:
    """Letters with the accent of a command on the first."""
    if not letters:
        return ""
    first = _DOTLESS.get(letters[0], letters[0])
    return unicodedata.normalize("NFC", first + _COMBINING[command[1:]]) + letters[1:]


def typeset(text: str) -> str:
    """A run of text with the ligatures of TeX: dashes and quotes."""
    if "-" in text:
        text = text.replace("---", "—").replace("--", "–")
    if "`" in text or "''" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    return text


def is_own_command(name: str) -> bool:
    """Check whether a paper's own definition of a command is ignored: the reader knows it."""
    return name in _OWN or is_citation(name)


def is_citation(name: str) -> bool:
    """Check whether a command cites, by its name."""
    return CITE.fullmatch(name) is not None and name not in NO_CITE
