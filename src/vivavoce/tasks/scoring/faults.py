"""Faults of an answer's text: what a model or a server wrote instead of an answer."""

from vivavoce.text import read_patterns
from vivavoce.text.answers import clean_title, without_wrapper
from vivavoce.text.final_answer import final_answer

_START = 400
_REFUSAL_WORDS = 80
_PATTERNS = read_patterns(__file__, "faults.toml")
_REFUSALS = (_PATTERNS["refusal"], _PATTERNS["other_languages"])
_PROVIDER_ERROR = _PATTERNS["provider_error"]
_PLACEHOLDER = _PATTERNS["placeholder"]


def fault_in(message: str) -> str | None:
    """Find the fault of a message; None if it can be scored.

    A refusal is a short text that begins by declining the request: papers too may begin with "I
    cannot" or "Sorry". A message that ends inside its reasoning is `unclosed`; one such as "N/A" or
    "**Title:** [Title]" is a `placeholder`.
    """
    if _PROVIDER_ERROR.match(message[:_START].strip()):
        return "provider_error"
    final = final_answer(message)
    text = final.text
    readings = [message.strip(), text]
    if "\n" not in text[:_START]:  # "N/A" may stand behind a label
        readings += [clean_title(text), without_wrapper(text)]
    if any(_PLACEHOLDER.fullmatch(each[:_START]) for each in filter(None, readings)):
        return "placeholder"
    if final.is_unclosed:
        return "unclosed"
    if not any(character.isprintable() and not character.isspace() for character in text):
        return "empty"
    is_short = len(text) < 2_000 and len(text.split()) <= _REFUSAL_WORDS
    declines = any(pattern.match(text[:_START]) for pattern in _REFUSALS)
    return "refusal" if is_short and declines else None
