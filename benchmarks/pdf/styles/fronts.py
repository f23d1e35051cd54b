"""Front matter in the commands of LaTeX classes: title, authors, affiliations, abstract."""

from collections.abc import Callable
from typing import Any

from benchmarks.pdf.styles.story import Person, Story

Front = tuple[str, str]
"""LaTeX before and behind `\\begin{document}`."""
Style = dict[str, Any]
_SPECIAL = {
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "$": r"\$",
    "–": "--",
}


def escape(text: str) -> str:
    """Plain text as LaTeX."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def _name(person: Person) -> str:
    return escape(person.name)


def _place(story: Story, number: int) -> str:
    return escape(", ".join(story.places[number]))


def _article(story: Story, style: Style) -> Front:
    names = r" \and ".join(
        f"{_name(p)} \\\\ {_place(story, p.place)} \\\\ \\texttt{{{p.email}}}" for p in story.people
    )
    head = f"\\title{{{escape(story.title)}}}\n\\author{{{names}}}\n\\date{{{story.date}}}"
    return head, f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}"


def _stacked(story: Story, style: Style) -> Front:
    """Names on one line with raised numbers, affiliations below, as imitated styles set them."""
    names = ", ".join(f"{_name(p)}$^{{{p.place + 1}}}$" for p in story.people)
    places = r" \\ ".join(f"$^{{{n + 1}}}${_place(story, n)}" for n in range(len(story.places)))
    mails = ", ".join(p.email for p in story.people)
    head = (
        f"\\title{{{escape(story.title)}}}\n"
        f"\\author{{{names} \\\\ {places} \\\\ {{\\tt {mails}}}}}\n\\date{{}}"
    )
    return head, f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}"


def _ieee(story: Story, style: Style) -> Front:
    if "journal" in style.get("options", ""):
        names = ", ".join(_name(p) for p in story.people)
        author = f"{names}\\thanks{{The authors are with {_place(story, 0)}.}}"
    else:
        author = r" \and ".join(
            f"\\IEEEauthorblockN{{{_name(p)}}}\\IEEEauthorblockA{{{_place(story, p.place)}\\\\"
            f"{p.email}}}"
            for p in story.people
        )
    return f"\\title{{{escape(story.title)}}}\n\\author{{{author}}}", (
        f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}\n"
        f"\\begin{{IEEEkeywords}}\n{story.keywords}\n\\end{{IEEEkeywords}}"
    )


def _acm(story: Story, style: Style) -> Front:
    people = "\n".join(
        f"\\author{{{_name(p)}}}\n\\affiliation{{\\institution{{{escape(story.places[p.place][1])}}}"
        f"\\city{{{escape(story.places[p.place][2].split(', ')[0])}}}"
        f"\\country{{{escape(story.places[p.place][2].split(', ')[1])}}}}}\n\\email{{{p.email}}}"
        for p in story.people
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n\\begin{{abstract}}\n"
        f"{escape(story.abstract)}\n\\end{{abstract}}\n\\keywords{{{story.keywords}}}\n\\maketitle"
    )


def _revtex(story: Story, style: Style) -> Front:
    people = "\n".join(
        f"\\author{{{_name(p)}}}\\email{{{p.email}}}\\affiliation{{{_place(story, p.place)}}}"
        for p in story.people
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n\\date{{{story.date}}}\n\\begin{{abstract}}\n"
        f"{escape(story.abstract)}\n\\end{{abstract}}\n\\maketitle"
    )


def _llncs(story: Story, style: Style) -> Front:
    people = r" \and ".join(f"{_name(p)}\\inst{{{p.place + 1}}}" for p in story.people)
    places = r" \and ".join(_place(story, n) for n in range(len(story.places)))
    return "", (
        f"\\title{{{escape(story.title)}}}\n\\author{{{people}}}\n\\institute{{{places}}}\n\\maketitle"
        f"\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\keywords{{{story.keywords}}}\n"
        "\\end{abstract}"
    )


def _elsevier(story: Story, style: Style) -> Front:
    people = "\n".join(
        f"\\author[a{p.place}]{{{_name(p)}}}\n\\ead{{{p.email}}}" for p in story.people
    )
    places = "\n".join(f"\\address[a{n}]{{{_place(story, n)}}}" for n in range(len(story.places)))
    return "", (
        f"\\begin{{frontmatter}}\n\\title{{{escape(story.title)}}}\n{people}\n{places}\n"
        f"\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}\n\\begin{{keyword}}\n"
        f"{story.keywords}\n\\end{{keyword}}\n\\end{{frontmatter}}"
    )


def _ams(story: Story, style: Style) -> Front:
    people = "\n".join(
        f"\\author{{{_name(p)}}}\n\\address{{{_place(story, p.place)}}}\n\\email{{{p.email}}}"
        for p in story.people
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n\\date{{{story.date}}}\n\\begin{{abstract}}\n"
        f"{escape(story.abstract)}\n\\end{{abstract}}\n\\maketitle"
    )


def _aas(story: Story, style: Style) -> Front:
    people = "\n".join(
        f"\\author{{{_name(p)}}}\n\\affiliation{{{_place(story, p.place)}}}" for p in story.people
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n\\begin{{abstract}}\n{escape(story.abstract)}\n"
        "\\end{abstract}"
    )


def _mnras(story: Story, style: Style) -> Front:
    people = ", ".join(f"{_name(p)}$^{{{p.place + 1}}}$" for p in story.people)
    places = r" \\ ".join(f"$^{{{n + 1}}}${_place(story, n)}" for n in range(len(story.places)))
    short = escape(story.people[0].family)
    return (
        f"\\title[A short title]{{{escape(story.title)}}}\n\\author[{short} et al.]{{{people}\\\\"
        f"{places}}}\n\\date{{{story.date}}}\n\\pubyear{{2020}}"
    ), (
        f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}\n"
        "\\begin{keywords}\nmethods: data analysis\n\\end{keywords}"
    )


def _jmlr(story: Story, style: Style) -> Front:
    people = r" \AND ".join(
        f"\\Name{{{_name(p)}}} \\Email{{{p.email}}}\\\\ \\addr {_place(story, p.place)}"
        for p in story.people
    )
    return f"\\title{{{escape(story.title)}}}\n\\author{{{people}}}", (
        f"\\maketitle\n\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}"
    )


def _thesis(story: Story, style: Style) -> Front:
    person = story.people[0]
    return "", (
        f"\\begin{{titlepage}}\\centering\\vspace*{{3cm}}{{\\Huge\\bfseries {escape(story.title)}"
        f"\\par}}\\vspace{{2cm}}{{\\Large {_name(person)}\\par}}\\vspace{{1cm}}"
        f"{_place(story, person.place)}\\par {story.date}\\end{{titlepage}}\n"
        f"\\chapter*{{Abstract}}\n{escape(story.abstract)}\n\\tableofcontents"
    )


def _abstract(story: Story) -> str:
    return f"\\begin{{abstract}}\n{escape(story.abstract)}\n\\end{{abstract}}"


def _set_left(story: Story, style: Style) -> Front:
    """Everything set by hand from the left margin, as journals do; the style says how."""
    names = style.get("joint", ", ").join(
        f"{_name(p)}$^{{{p.place + 1}}}$" for p in story.people[:-1]
    ) + style.get("last_joint", " and ")
    names += f"{_name(story.people[-1])}$^{{{story.people[-1].place + 1}}}$"
    places = r"\par ".join(f"$^{{{n + 1}}}$ {_place(story, n)}" for n in range(len(story.places)))
    front = (
        f"{{\\noindent {style.get('banner', '')}{{{style.get('title', _TITLE)} "
        f"{escape(story.title)}\\par}}\\medskip\n{{{style.get('names', '')} {names}\\par}}\\medskip"
        f"\n{{\\small {places}\\par * Correspondence: {story.people[0].email}\\par}}\\medskip\n"
        f"{{{style.get('label', _LABEL)}}} {escape(story.abstract)}\\par\\medskip}}"
    )
    return "", f"\\twocolumn[{front}\\vspace{{2em}}]" if style.get("columns") == 2 else front


_TITLE, _LABEL = r"\raggedright\LARGE\bfseries", r"\bfseries Abstract:"


def _one_by_one(story: Story, style: Style) -> Front:
    """Each author on a line with the affiliation and the address below."""
    people = "\n".join(
        f"{{\\noindent\\large\\bfseries {_name(p)}\\par}}{{\\noindent\\small "
        f"{_place(story, p.place)}\\\\ {p.email}\\par}}\\smallskip"
        for p in story.people
    )
    return "", (
        f"{{\\noindent{style.get('title', _TITLE)} {escape(story.title)}\\par}}\\bigskip\n"
        f"{people}\n"
        f"{{\\noindent{style.get('label', _LABEL)}\\par}}\\noindent {escape(story.abstract)}\n\n"
    )


def _cas(story: Story, style: Style) -> Front:
    people = "\n".join(f"\\author[{p.place + 1}]{{{_name(p)}}}" for p in story.people)
    places = "\n".join(
        f"\\affiliation[{n + 1}]{{organization={{{escape(name)}, {escape(part)}}},"
        f"city={{{escape(city)}}}}}"
        for n, (part, name, city) in enumerate(story.places)
    )
    return "", (
        f"\\title [mode = title]{{{escape(story.title)}}}\n{people}\n{places}\n{_abstract(story)}\n"
        f"\\begin{{keywords}}{story.keywords}\\end{{keywords}}\n\\maketitle"
    )


def _asme(story: Story, style: Style) -> Front:
    title = f"\\title{{{escape(story.title)}}}\n\\date{{}}\n"
    if style["class"] == "asmejour":
        people = "\n".join(
            f"\\SetAuthorBlock{{{_name(p)}}}{{{_place(story, p.place)} \\\\ {p.email}}}"
            for p in story.people
        )
        return "", f"{title}{people}\n{_abstract(story)}\n\\maketitle"
    names = ", ".join(f"{_name(p)}\\affil{{{p.place + 1}}}" for p in story.people)
    places = "\n".join(
        f"\\SetAffiliation{{{n + 1}}}{{{_place(story, n)}}}" for n in range(len(story.places))
    )
    return "", f"{title}\\SetAuthors{{{names}}}\n{places}\n\\maketitle\n{_abstract(story)}"


def _oup(story: Story, style: Style) -> Front:
    people = "\n".join(f"\\author[{p.place + 1}]{{{_name(p)}}}" for p in story.people)
    places = "\n".join(
        f"\\address[{n + 1}]{{{_place(story, n)}}}" for n in range(len(story.places))
    )
    return "", (
        f"\\title{{{escape(story.title)}}}\n{people}\n{places}\n"
        f"\\abstract{{{escape(story.abstract)}}}\n\\keywords{{{story.keywords}}}\n\\maketitle"
    )


def _nature(story: Story, style: Style) -> Front:
    names = ", ".join(f"{_name(p)}$^{{{p.place + 1}}}$" for p in story.people)
    places = "\n".join(f"\\item {_place(story, n)}" for n in range(len(story.places)))
    return f"\\title{{{escape(story.title)}}}\n\\author{{{names}}}", (
        f"\\maketitle\n\\begin{{affiliations}}\n{places}\n\\end{{affiliations}}\n{_abstract(story)}"
    )


def _achemso(story: Story, style: Style) -> Front:
    people = "\n".join(
        f"\\author{{{_name(p)}}}\n\\affiliation{{{_place(story, p.place)}}}\n\\email{{{p.email}}}"
        for p in story.people
    )
    return f"\\title{{{escape(story.title)}}}\n{people}", _abstract(story)


def _apa(story: Story, style: Style) -> Front:
    names = ", ".join(f"{{{_name(p)}}}" for p in story.people)
    places = ", ".join(f"{{{_place(story, n)}}}" for n in range(len(story.places)))
    order = ",".join(f"{{{p.place + 1}}}" for p in story.people)
    return (
        f"\\title{{{escape(story.title)}}}\n\\shorttitle{{A short title}}\n"
        f"\\authorsnames[{order}]{{{names}}}\n\\authorsaffiliations{{{places}}}\n"
        f"\\abstract{{{escape(story.abstract)}}}\n\\keywords{{{story.keywords}}}"
    ), "\\maketitle"


FRONTS: dict[str, Callable[[Story, Style], Front]] = {
    "article": _article,
    "stacked": _stacked,
    "ieee": _ieee,
    "acm": _acm,
    "revtex": _revtex,
    "llncs": _llncs,
    "elsevier": _elsevier,
    "ams": _ams,
    "aas": _aas,
    "mnras": _mnras,
    "jmlr": _jmlr,
    "thesis": _thesis,
    "set_left": _set_left,
    "one_by_one": _one_by_one,
    "cas": _cas,
    "asme": _asme,
    "oup": _oup,
    "nature": _nature,
    "achemso": _achemso,
    "apa": _apa,
}
