"""Truth of real papers from their LaTeX: pairs PDFs with sources in folders of repositories.

    python -m benchmarks.pdf.real REPOSITORIES --out DIR

`REPOSITORIES` holds one folder for each repository; `DIR` gets links to the PDFs and a
`truth.jsonl` for benchmarks/pdf/score.py, with the repository as style, so that `--half` splits by
repository. The LaTeX is read by plain patterns, apart from the latex source of this package: the
two must not share mistakes. A heading that the PDF's own text does not hold is left out, and a
PDF with few of the headings is another version of the paper and left out as well.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
from benchmarks.pdf.score import HOLE, compact, pattern

_ENOUGH = 0.85
_BRACED = r"\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}"
_HEADING = re.compile(
    rf"\\(chapter|section|subsection|subsubsection)\*?\s*(?:\[[^\]]*\])?{_BRACED}"
    r"|\\(introduction|conclusions)(?=[\s%\[])"
)
_LEVELS = {"chapter": 0, "section": 1, "subsection": 2, "subsubsection": 3}
_UNTOLD = re.compile(r"\$[^$]*\$|\\\(.*?\\\)|\\(?:eq|auto|c|C|name|page)?ref\s*\{[^}]*\}")
"""Parts of a heading's LaTeX that print other letters: formulas and numbers of other parts."""
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{([^}]*)\}")
_MACRO = re.compile(
    rf"\\(?:(?:re)?newcommand|DeclareRobustCommand|def)\*?\{{?\\([A-Za-z]+)\}}?{_BRACED}"
)
_DROPPED = re.compile(
    r"\\(?:label|footnote|footnotemark|thanks|thanksref|tnoteref|vspace|hspace|cite\w*|ref|orcidID|orcid"
    r"|orcidlink|inst|textsuperscript|footnotetext|authornote|authornotemark|corref|fnref|fnmark"
    rf"|IEEEmembership)(?![A-Za-z])\*?(?:\[[^\]]*\])*(?:{_BRACED})?"
)

_MARK = "\x04"
"""Stands for a raised mark, which parts two names."""
_NO_NAMES = frozenset("Jr Sr PhD Ph.D MD Member IEEE".split())
_RAISED = (
    "textsuperscript|inst|thanks|Thanks|footnotemark|footnote|altaffilmark|authormark|corref|fnref"
)
_ADDRESSES = (
    "affiliation|affil|email|institution|institute|orcid|orcidID|ead|address|url|texttt|href"
    "|IEEEauthorblockA|altaffiltext|authornote|IEEEauthorrefmark|IEEEmembership"
)
_AUTHORS = (
    rf"\\IEEEauthorblockN\s*{_BRACED}",
    rf"\\Name\s*{_BRACED}",
    rf"\\icmlauthor\s*{_BRACED}",
    rf"\\fnms?\s*{_BRACED}[\s,~]*(?:\\(?:spfx|pfx)\s*\{{[^}}]*\}}\s*)?\\(?:sur|snm)\s*{_BRACED}",
    rf"\\author\s*(?:\[[^\]]*\])?\s*{_BRACED}",
    rf"\\name\s*{_BRACED}",
)
"""Commands that name authors, the surest first."""
_ABSTRACTS = (
    r"\\begin\s*\{(?:abstract|Abstract)\}(.*?)\\end\s*\{(?:abstract|Abstract)\}",
    rf"\\abstract\s*{_BRACED}",
)
_KEYWORDS = re.compile(
    r"\\(?:begin\{)?(?:IEEE)?key[ _]?words?|\\textbf\{(?:key|index)|\\keyw", re.IGNORECASE
)
_NOTE = re.compile(rf"\{{?\\(?:footnotesize|scriptsize|small|tiny)\b(?:[^{{}}]|{_BRACED})*\}}?")
"""Small print inside the LaTeX of a title."""
_SPACED = re.compile(r"\\\\\s*\[[^\]]*\][^\\]*\w[^\\]*\\\\", re.DOTALL)
"""Space below a line inside a block, which may part authors or affiliations."""
_LISTED = re.compile(r"references|bibliogra|literat|参考|文献|referencias")
_NOBODY = re.compile(
    r"\b(?:anonymous|authors?|group|team|collaboration|consortium)\b", re.IGNORECASE
)
_TEMPLATE = re.compile(
    r"^\s*(?:title|<.*>)\s*$|(?:article|paper|your|main|full|thesis) title|\btitle of your\b"
    r"|\bsample article\b|\bdummy\b|\btemplate\b|\binstructions\b|\bguidelines for\b"
    r"|proceedings format",
    re.IGNORECASE,
)
"""Titles of templates that nobody filled in."""


def expand(path: Path, depth: int = 0) -> str:
    """A LaTeX file with its inputs, without comments."""
    text = path.read_text("utf-8", "replace") if path.is_file() else ""
    text = re.sub(r"(?<!\\)%.*", "", text)
    text = re.sub(r"\\begin\{comment\}.*?\\end\{comment\}|\\iffalse.*?\\fi\b", "", text, flags=re.S)
    if depth > 4:
        return text

    def included(found: re.Match[str]) -> str:
        name = found[1].strip()
        for other in (path.parent / name, path.parent / f"{name}.tex"):
            if other.is_file():
                return expand(other, depth + 1)
        return " "

    return _INPUT.sub(included, text)


def plain(text: str, macros: dict[str, str]) -> str:
    """LaTeX of a heading or name as text."""
    for _ in range(3):
        text = re.sub(r"\\([A-Za-z]+)", lambda m: macros.get(m[1], m[0]), text)
    text = re.sub(rf"\\texorpdfstring\s*{_BRACED}\s*{_BRACED}", r"\1", text)
    text = _DROPPED.sub("", text)
    text = re.sub(r"\\[hv]skip\s*-?[\d.]+\s*(?:cm|mm|pt|em|ex|in)\b", " ", text)
    text = re.sub(r"\\\\(?:\[[^\]]*\])?", " ", text)
    text = re.sub(r"\{\s*(\\[\"'`^~=.uvHcdbk]\s*\\?[A-Za-z])\s*\}", r"\1", text)
    text = re.sub(r"\\(?:[\"'`^~=.]|[uvHcdbk](?![A-Za-z]))\s*\{?\\?([A-Za-z])\}?", r"\1", text)
    text = re.sub(r"\\[A-Za-z]+\*?(?:\[[^\]]*\])?", " ", text)
    return " ".join(re.sub(r"[$\\~]", " ", re.sub(r"[{}]", "", text)).split())


def read_truth(source: Path) -> dict[str, Any] | None:
    """Everything that the LaTeX says; None where it is no paper."""
    text = expand(source)
    macros = {m[1]: m[2] for m in _MACRO.finditer(text) if "#" not in m[2]}
    body = text.partition(r"\begin{document}")[2].partition(r"\end{document}")[0]
    headings = [
        (
            _LEVELS[m[1] or "section"],
            plain(_UNTOLD.sub(HOLE, m[2] if m[3] is None else m[3].title()), macros),
        )
        for m in _HEADING.finditer(body)
    ]
    headings = [(level, words) for level, words in headings if len(compact(words)) > 1]
    titles = re.findall(rf"\\(?:icml|sysml|mlsys)?[tT]itle\s*(?:\[[^\]]*\])?\s*{_BRACED}", text)
    title = next((one for one in titles if plain(one, macros) and "#" not in one), None)
    is_paper = title is not None and not _TEMPLATE.search(title) and "{beamer}" not in text
    if len(headings) < 4 or title is None or not is_paper:
        return None
    shallow = min(level for level, _ in headings)
    return {
        "title": plain(_NOTE.sub("", title), macros),
        "headings": [[level - shallow + 1, words] for level, words in headings],
        "authors": _authors(text, macros),
        "run_in": [
            plain(m[1], macros) for m in re.finditer(rf"\\(?:sub)?paragraph\*?\s*{_BRACED}", body)
        ]
        + [plain(m[1], macros) for m in re.finditer(rf"\\textbf\s*{_BRACED}", body)],
        "references": _reference_lists(source, text),
        "abstract": _abstract(text, macros),
        "texts": list(_paragraphs(body)),
    }


def _abstract(text: str, macros: dict[str, str]) -> str | None:
    """The words of an abstract, in its environment or its command."""
    for markup in _ABSTRACTS:
        if (found := re.search(markup, text, re.DOTALL)) is not None:
            formulas = re.sub(r"\$[^$]*\$|\\cite\w*(?:\[[^\]]*\])*\{[^}]*\}", " ", found[1])
            return plain(_KEYWORDS.split(formulas)[0], macros) or None
    return None


def _authors(text: str, macros: dict[str, str]) -> list[str] | None:
    """Names where every piece looks like one; None where the markup does not tell."""
    blocks = next((found for p in _AUTHORS if (found := re.findall(p, text))), [])
    if any(isinstance(block, str) and _SPACED.search(block) for block in blocks):
        return None
    names = [name for block in blocks for name in _names_in(block, macros)]
    whole = [re.fullmatch(r"[^\W\d_][\w.'’-]*(?: [\w.'’-]+){1,4}", name) for name in names]
    looks = sum(map(bool, whole)) > 0.9 * len(names)
    looks = looks and not any(_NOBODY.search(name) for name in names)
    return list(dict.fromkeys(names)) if names and looks else None


def _names_in(block: str | tuple[str, ...], macros: dict[str, str]) -> Iterator[str]:
    """Names of one command: of each part the first line, and the next where it is a list."""
    if not isinstance(block, str):
        yield plain(" ".join(block), macros)  # forename and surname
        return
    block = re.sub(rf"\\(?:{_ADDRESSES})\*?(?:\[[^\]]*\])?\s*{_BRACED}", "", block)
    block = re.sub(
        rf"\\(?:{_RAISED})\s*(?:\[[^\]]*\])?{_BRACED}|\$[^$]*\$|~?\^\{{[^}}]*\}}", _MARK, block
    )
    block = re.sub(r"\\(?:begin|end)\s*\{[^}]*\}(?:\[[^\]]*\])?(?:\{[^{}]*\})?", " ", block)
    for part in re.split(r"\\(?:and|And|AND|newauthor|qquad|quad|hfill|name)\b", block):
        part = re.sub(r"\\(?:email|addr)\b.*", "", part, flags=re.S)
        is_open = True
        for line in re.split(r"\\\\(?:\[[^\]]*\])?|\\newline\b", part):
            words = plain(line, macros)
            if not words.strip(f" ,{_MARK}"):
                continue
            if not is_open or words.startswith(_MARK):
                break
            for piece in re.split(rf"[,;{_MARK}]|&|\band\b", words):
                name = re.sub(r"\([^)]*\)|[\d*^†‡§]+|\ball authors\b", "", piece).strip()
                if name and name.rstrip(".") not in _NO_NAMES:
                    yield name
            is_open = words.rstrip(f" {_MARK}").endswith((",", "and", "&"))


def _reference_lists(source: Path, text: str) -> list[list[str]]:
    """Lists of works that the source may print, each work as the letters of its longest parts."""
    paths = sorted(source.parent.glob("*.bbl"), key=lambda path: path.stem != source.stem)
    written = [text, *(path.read_text("utf-8", "replace") for path in paths)]
    lists = [list(_entries(one)) for one in written]
    if r"\nocite{*}" not in text:
        lists.append(list(_cited(source, text)))
    return [one for one in lists if one]


def _entries(text: str) -> Iterator[str]:
    """The works of a list in LaTeX, by their longest run of words between commands."""
    seen: set[str] = set()
    for part in re.split(r"\\bibitem|\\entry(?=\{)", text)[1:]:
        key = re.match(rf"\s*(?:\[(?:[^\]{{}}]|{_BRACED})*\]|%|\s)*\{{([^}}]*)\}}", part)
        body = part[key.end() if key else 0 :].partition(r"\end{thebibliography}")[0]
        runs = [compact(plain(run, {})) for run in re.split(r"\n\s*\n|\\newblock|[{}]", body)]
        if key is None or key[key.lastindex or 0] not in seen:
            seen.add(key[key.lastindex or 0] if key else str(len(seen)))
            yield max(runs, key=len, default="")[:40]


def _cited(source: Path, text: str) -> Iterator[str]:
    """The titles of works that are cited and described in a file of the source's folder."""
    cited = re.findall(
        r"\\(?:no)?[a-zA-Z]*cite[a-zA-Z]*\*?\s*(?:\[[^\]]*\]\s*)*\{([^}]+)\}", text, re.I
    )
    keys = {key.strip() for group in cited for key in group.split(",")}
    for path in source.parent.rglob("*.bib"):
        for key, body in re.findall(
            r"@\w+\s*[{(]\s*([^,\s]+)\s*,((?:(?!\n\s*@).)*)",
            path.read_text("utf-8", "replace"),
            re.S,
        ):
            title = re.search(rf"\btitle\s*=\s*(?:{_BRACED}|\"([^\"]*)\")", body, re.I)
            if key in keys and title is not None:
                keys.discard(key)
                yield compact(plain(title[1] or title[2] or "", {}))[:40]


def _printed(lists: list[list[str]], text: str) -> int | None:
    """The length of the longest list that the PDF's own text holds nearly whole."""
    counts = [len(one) for one in lists if sum(work in text for work in one) >= 0.9 * len(one)]
    return max(counts, default=None)


def _paragraphs(body: str) -> Iterator[str]:
    """Paragraphs of plain words, at least fifteen."""
    for paragraph in re.split(r"\n\s*\n", body):
        text = " ".join(paragraph.split())
        if not re.search(r"[\\${}_^&~\[\]<>|]", text) and len(text.split()) >= 15:
            yield text.replace("``", "“").replace("''", "”")


def pdf_text(path: Path) -> tuple[str, int]:
    """Letters and digits of a PDF as PDFium gives them, and its pages."""
    try:
        with pypdfium2.PdfDocument(path) as document:
            texts = [page.get_textpage().get_text_bounded() for page in document]
    except pypdfium2.PdfiumError:
        return "", 0
    return compact(" ".join(texts)), len(texts)


def _share_of_words(wanted: str, text: str) -> float:
    """The share of runs of four words that the PDF's own text holds."""
    words = wanted.split()
    runs = [compact(" ".join(words[place : place + 4])) for place in range(0, len(words), 4)]
    return sum(run in text for run in runs) / max(len(runs), 1)


def pair(folder: Path) -> Iterator[dict[str, Any]]:
    """Papers of a repository: each source with the PDF that holds its title and headings."""
    pdfs = {p: pdf_text(p) for p in sorted(folder.rglob("*.pdf")) if p.stat().st_size < 30 << 20}
    pdfs = {p: found for p, found in pdfs.items() if 3 <= found[1] <= 200}
    taken: set[Path] = set()
    for source in sorted(folder.rglob("*.tex")):
        if not source.is_file() or r"\begin{document}" not in source.read_text("utf-8", "replace"):
            continue
        truth = read_truth(source)
        if truth is None:
            continue
        best: tuple[float, Path | None] = (0.0, None)
        for path, (text, _) in pdfs.items():
            held = [pattern(h).search(text) is not None for _, h in truth["headings"]]
            share = sum(held) / len(held) + 0.01 * (path.stem == source.stem)
            if compact(truth["title"]) in text and path not in taken and share > best[0]:
                best = (share, path)
        if best[1] is None or best[0] < _ENOUGH:
            continue
        taken.add(best[1])
        text = pdfs[best[1]][0]
        truth["references"] = _printed(truth["references"], text)
        truth["headings"] = [h for h in truth["headings"] if pattern(h[1]).search(text)]
        truth["texts"] = [t for t in truth["texts"] if compact(t) in text]
        if truth["abstract"] and _share_of_words(truth["abstract"], text) < _ENOUGH:
            truth["abstract"] = None
        if not _LISTED.search(text):
            truth["references"] = None
        if truth["authors"] and not all(compact(n) in text[:6000] for n in truth["authors"]):
            truth["authors"] = None
        yield {"file": "", "source": str(best[1]), "latex": str(source), **truth}


def main() -> int:
    """Write the truth of every pair."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for folder in sorted(options.repositories.iterdir()):
        for number, row in enumerate(pair(folder)):
            row["file"], row["style"] = f"{folder.name}-{number}.pdf", folder.name
            link = options.out / row["file"]
            link.unlink(missing_ok=True)
            Path(link).symlink_to(row.pop("source"))
            rows.append(row)
    holders: dict[str, set[str]] = {}
    for row in rows:
        holders.setdefault(compact(row["title"]), set()).add(row["style"])
    # A paper of several repositories is the sample of a template.
    rows = [row for row in rows if len(holders[compact(row["title"])]) == 1]
    rows = list({compact(row["title"]): row for row in rows}.values())
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (options.out / "truth.jsonl").write_text(text, "utf-8")
    print(f"{len(rows)} papers of {len({row['style'] for row in rows})} repositories")
    return 0


if __name__ == "__main__":
    sys.exit(main())
