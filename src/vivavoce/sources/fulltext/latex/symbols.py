"""Commands that print one character, and accents."""

from __future__ import annotations

import unicodedata

_COMBINING = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "=": "\u0304",
    ".": "\u0307",
    "c": "\u0327",
    "v": "\u030c",
    "u": "\u0306",
    "H": "\u030b",
    "k": "\u0328",
    "r": "\u030a",
    "b": "\u0331",
    "d": "\u0323",
}
ACCENTS = frozenset("\\" + name for name in _COMBINING)

SYMBOLS = {
    "\\ss": "ß", "\\ae": "æ", "\\AE": "Æ", "\\oe": "œ", "\\OE": "Œ", "\\o": "ø", "\\O": "Ø",
    "\\aa": "å", "\\AA": "Å", "\\l": "ł", "\\L": "Ł", "\\i": "ı", "\\j": "ȷ", "\\dh": "ð",
    "\\DH": "Ð", "\\th": "þ", "\\TH": "Þ", "\\dj": "đ", "\\DJ": "Đ", "\\ng": "ŋ", "\\NG": "Ŋ",
    "\\S": "§", "\\P": "¶", "\\dag": "†", "\\ddag": "‡", "\\copyright": "©", "\\pounds": "£",
    "\\euro": "€", "\\texteuro": "€", "\\textsection": "§", "\\textparagraph": "¶",
    "\\textdagger": "†", "\\textdaggerdbl": "‡", "\\textregistered": "®", "\\texttrademark": "™",
    "\\textcopyright": "©", "\\textdegree": "°", "\\degree": "°", "\\textendash": "–",
    "\\textemdash": "—", "\\textbackslash": "\\", "\\textasciitilde": "~", "\\textasciicircum": "^",
    "\\textunderscore": "_", "\\textbar": "|", "\\textless": "<", "\\textgreater": ">",
    "\\textbullet": "•", "\\textperiodcentered": "·", "\\textquotedblleft": "“",
    "\\textquotedblright": "”", "\\textquoteleft": "‘", "\\textquoteright": "’",
    "\\textquotesingle": "'", "\\textquotedbl": '"', "\\guillemotleft": "«",
    "\\guillemotright": "»", "\\textexclamdown": "¡", "\\textquestiondown": "¿",
    "\\textmu": "µ", "\\textpm": "±", "\\texttimes": "×", "\\textrightarrow": "→",
    "\\textleftarrow": "←", "\\ldots": "…", "\\dots": "…", "\\textellipsis": "…", "\\lq": "‘",
    "\\rq": "’", "\\textbraceleft": "{", "\\textbraceright": "}", "\\textdollar": "$",
    "\\textpercent": "%", "\\textnumero": "№", "\\textonehalf": "½", "\\textasteriskcentered": "*",
    "\\TeX": "TeX", "\\LaTeX": "LaTeX", "\\LaTeXe": "LaTeX2e", "\\BibTeX": "BibTeX",
    "\\checkmark": "✓", "\\cmark": "✓", "\\xmark": "✗", "\\slash": "/", "\\textvisiblespace": "␣",
    "\\ordfeminine": "ª", "\\textordmasculine": "º",
    "\\%": "%", "\\&": "&", "\\_": "_", "\\#": "#", "\\$": "$", "\\{": "{", "\\}": "}",
    "\\ ": " ", "\\\n": " ", "\\,": " ", "\\;": " ", "\\:": " ", "\\>": " ", "\\!": "", "\\/": "",
    "\\-": "", "\\@": "", "\\quad": " ", "\\qquad": " ", "\\enspace": " ", "\\thinspace": " ",
    "\\space": " ", "\\enskip": " ", "\\hfill": " ", "\\today": "",
    "\\newline": " ", "\\linebreak": " ",
    "\\bibnamedelima": " ", "\\bibnamedelimb": " ", "\\bibnamedelimi": " ", "\\bibinitperiod": ".",
    "\\alpha": "α", "\\beta": "β", "\\gamma": "γ", "\\delta": "δ", "\\lambda": "λ", "\\mu": "μ",
    "\\times": "×", "\\pm": "±", "\\rightarrow": "→", "\\leftarrow": "←", "\\to": "→",
    "\\uparrow": "↑", "\\downarrow": "↓", "\\star": "⋆", "\\dagger": "†", "\\ddagger": "‡",
    "\\ast": "∗", "\\sim": "∼", "\\cdot": "⋅", "\\geq": "≥", "\\leq": "≤", "\\ge": "≥", "\\le": "≤",
}  # fmt: skip

_DOTLESS = {"ı": "i", "ȷ": "j"}


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
