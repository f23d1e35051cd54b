"""Commands and environments that the reader knows: symbols, accents, and handling of arguments."""

from __future__ import annotations

import re
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


SECTIONS = {
    "\\part": -1, "\\chapter": 0, "\\section": 1, "\\subsection": 2, "\\subsubsection": 3,
    "\\paragraph": 4, "\\subparagraph": 5,
}  # fmt: skip
TITLES = frozenset({"\\title", "\\icmltitle", "\\Title", "\\papertitle", "\\mlsystitle"})
AUTHORS = frozenset({"\\author", "\\Author", "\\icmlauthor", "\\mlsysauthor"})
ABSTRACTS = frozenset({"\\abstract", "\\Abstract", "\\abst"})

_SILENT = {
    0: (
        "vskip footnotemark hyperref tableofcontents listoftodos addlinespace morecmidrules "
        "toprule midrule bottomrule hline makebox framebox glsresetall makeglossaries bibitemStop "
        "bibliographyfont xdef"
    ),
    1: (
        "bibinfo bibfield "
        "label caption vspace hspace footnote footnotetext thanks Thanks marginpar index glsadd "
        "includegraphics graphicspath usepackage RequirePackage documentclass documentstyle "
        "bibliographystyle bibliography addbibresource nocite pagestyle thispagestyle "
        "pagenumbering color pagecolor hypersetup captionsetup theoremstyle tikzset pgfplotsset "
        "usetikzlibrary lstset markright todo missingfigure includepdf date affil affiliation "
        "address institute email icmladdress icmlkeywords keywords Keywords keyword ccsdesc "
        "received titlerunning authorrunning orcid orcidID inst icmltitlerunning "
        "printAffiliationsAndNotice acmBooktitle acmYear copyrightyear acmDOI acmISBN acmPrice "
        "setcopyright acmJournal acmVolume acmNumber acmArticle acmMonth acmSubmissionID "
        "settopmatter citestyle setcitestyle shortauthors corref cortext ead fntext fnref "
        "tnoteref tnotetext journal preprint pacs subjclass dedicatory curraddr raisebox scalebox "
        "rotatebox textcolor colorbox parbox href hypertarget hyperlink phantom vphantom hphantom "
        "foreignlanguage selectlanguage newcounter newlength hyphenation rowcolor cellcolor "
        "columncolor arrayrulecolor cmidrule cline hhline noalign tnote tablefootnote adjustbox "
        "ifthenelse setstretch linespread stepcounter refstepcounter value arabic eqref pageref "
        "newgeometry geometry fancyhead fancyfoot lhead rhead chead lfoot rfoot cfoot "
        "AtBeginDocument AtEndDocument enlargethispage"
    ),
    2: (
        "captionof setlength addtolength setcounter addtocounter colorlet fontsize newtheorem "
        "DeclareMathOperator lstdefinestyle addtocontents markboth icmlaffiliation "
        "icmlcorrespondingauthor icmlsetsymbol rule resizebox fcolorbox newtcolorbox "
        "DeclareUnicodeCharacter multirow multicolumn DeclareAcronym acrodef pgfmathsetmacro"
    ),
    3: (
        "definecolor addcontentsline acmConference crefname Crefname specialrule rowcolors "
        "newacronym"
    ),
    4: "titlespacing",
    5: "titleformat",
    6: "bibpunct",
}
SILENT = {f"\\{name}": count for count, names in _SILENT.items() for name in names.split()}
"""Commands that print nothing, with the number of arguments in braces that go with them."""

# Commands whose argument flows on in the text; they take no options that are text.
PLAIN = frozenset(
    "\\" + name
    for name in "textbf textit texttt textsc textsf textrm textup textmd textsl textnormal emph "
    "underline uline mbox fbox text em bf it tt sc rm sf sl bfseries itshape ttfamily scshape "
    "small footnotesize scriptsize tiny normalsize large Large LARGE huge Huge centering noindent "
    "maketitle par item newblock caption newpage clearpage cleardoublepage pagebreak smallskip "
    "medskip bigskip textsuperscript textsubscript begin end appendix ref autoref cref Cref "
    "bibitem and And AND tabularnewline protect relax "
    "xspace".split()
)

CITE = re.compile(r"\\(?:[A-Za-z]*cite[a-z]*|[Cc]iteauthor)")
NO_CITE = frozenset(
    {"\\nocite", "\\bibcite", "\\citestyle", "\\setcitestyle", "\\citename", "\\citeindextype"}
    | {
        "\\citenamefont",
        "\\printbibliography",
        "\\defcitealias",
        "\\citeindextrue",
        "\\DeclareCiteCommand",
    }
)
MATH = frozenset(
    "equation equation* align align* aligned gather gather* multline multline* eqnarray eqnarray* "
    "displaymath math flalign flalign* alignat alignat* IEEEeqnarray IEEEeqnarray* split "
    "dmath dmath* subequations".split()
)
TABLES = frozenset(
    "table table* wraptable sidewaystable sidewaystable* longtable longtable* tableau margintable "
    "floattable deluxetable deluxetable* supertabular xltabular SCtable threeparttable".split()
)
TABULARS = {
    "tabular": 1, "tabular*": 2, "tabularx": 2, "tabulary": 2, "tabu": 1, "longtable": 1,
    "longtable*": 1, "longtabu": 1, "xltabular": 2, "NiceTabular": 1, "NiceTabular*": 2, "tblr": 1,
    "longtblr": 1, "talltblr": 1, "supertabular": 1, "deluxetable": 1, "deluxetable*": 1,
    "tabularray": 1, "xtabular": 1, "mpxtabular": 1,
}  # fmt: skip
FIGURES = frozenset(
    "figure figure* wrapfigure sidewaysfigure sidewaysfigure* SCfigure marginfigure teaserfigure "
    "subfigure".split()
)
HIDDEN = frozenset(
    "tikzpicture algorithm algorithm* algorithm2e algorithmic pgfpicture picture axis CCSXML "
    "keywords keyword IEEEkeywords thebibliography tcblisting classification textblock "
    "pspicture forest IEEEbiography IEEEbiographynophoto".split()
)
ABSTRACT_ENVIRONMENTS = frozenset("abstract abstract* onecolabstract Abstract summary".split())
# Environments that take arguments in braces before their text.
ENVIRONMENT_ARGUMENTS = {
    "minipage": 1, "multicols": 1, "adjustbox": 1, "spacing": 1, "adjustwidth": 2, "list": 2,
    "thebibliography": 1, "tcolorbox": 0, "mdframed": 0, "itemize": 0, "enumerate": 0,
    "description": 0, "quote": 0, "scope": 0, "otherlanguage": 1, "otherlanguage*": 1, "CJK": 2,
    "CJK*": 2, "subfigure": 1, "wrapfigure": 2, "wraptable": 2, "textblock": 1, "figwindow": 1,
}  # fmt: skip

_OWN = (
    frozenset(SECTIONS)
    | TITLES
    | AUTHORS
    | ABSTRACTS
    | frozenset(SILENT)
    | PLAIN
    | ACCENTS
    | frozenset(SYMBOLS)
    | frozenset(f"\\begin{{{name}}}" for name in ABSTRACT_ENVIRONMENTS | TABLES | FIGURES | MATH)
    | frozenset(f"\\begin{{{name}}}" for name in ["document", "itemize", "enumerate", *TABULARS])
) - frozenset(
    {"\\todo", "\\cmark", "\\xmark", "\\degree", "\\keyword", "\\Title", "\\abst", "\\text"}
)


def is_own_command(name: str) -> bool:
    """Whether a paper's own definition of a command is passed over: the reader knows better."""
    return name in _OWN or is_citation(name)


def is_citation(name: str) -> bool:
    """Whether a command cites, by its name."""
    return CITE.fullmatch(name) is not None and name not in NO_CITE
