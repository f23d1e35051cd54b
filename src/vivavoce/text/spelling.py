"""Words of names in one spelling: without case, accents and punctuation, and American."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+|[+@#%]")
_MAX_NAME = 300
_AMERICAN = {
    "analyse": "analyze",
    "analysed": "analyzed",
    "analysing": "analyzing",
    "artefact": "artifact",
    "artefacts": "artifacts",
    "behaviour": "behavior",
    "behaviours": "behaviors",
    "catalogue": "catalog",
    "centre": "center",
    "colour": "color",
    "colours": "colors",
    "coloured": "colored",
    "defence": "defense",
    "dialogue": "dialog",
    "dialogues": "dialogs",
    "flavour": "flavor",
    "grey": "gray",
    "honour": "honor",
    "humour": "humor",
    "labour": "labor",
    "neighbour": "neighbor",
    "neighbours": "neighbors",
    "neighbourhood": "neighborhood",
    "programme": "program",
    "rumour": "rumor",
    "rumours": "rumors",
    "tumour": "tumor",
    "vapour": "vapor",
}
"""Words of which British spelling is no matter of their ending."""
_DOUBLED = re.compile(r"(\w{0,20}[aeiou]\w{1,20}[aei])ll(ing|ings|ed|er|ers)")
"""`modelling`, `labelled`: one letter in American, other than in `spelling` and `controlled`."""
_WITH_S = re.compile(
    r"(\w{0,40}\w(?:al|an|ar|at|el|en|er|et|gn|il|im|in|nt|on|or|ym))"
    r"is(e|ed|er|ers|es|ing|ation|ations)"
)
"""`normalise`, `tokenised`, `summarisation`: stems that take the ending, as `noise` does not."""


def words_of(name: str) -> list[str]:
    """The words of a name as names are compared by them."""
    text = unicodedata.normalize("NFKD", name[:_MAX_NAME]).casefold()
    plain = "".join(c for c in text if not unicodedata.combining(c))
    return [_american(word) for word in _WORD.findall(plain)]


def _american(word: str) -> str:
    if word in _AMERICAN:
        return _AMERICAN[word]
    if found := _WITH_S.fullmatch(word):
        return f"{found[1]}iz{found[2]}"
    if found := _DOUBLED.fullmatch(word):
        return f"{found[1]}l{found[2]}"
    return word
