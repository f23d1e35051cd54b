"""Text that LaTeX prints for commands of packages and classes: conditionals, numbers, acronyms."""

from pathlib import Path

import pytest
from tests.sources.test_latex import read

from vivavoce.sources.fulltext.latex import read_document


def text_of(folder: Path, body: str, preamble: str = "") -> str:
    """Text of a paper that has one section."""
    [section] = read(folder, f"\\section{{One}} {body}", preamble=preamble).sections
    return section.text


@pytest.mark.parametrize(
    ("preamble", "body", "printed"),
    [
        (r"\newtoggle{full}\toggletrue{full}", r"\iftoggle{full}{Long}{Short}.", "Long."),
        (r"\newtoggle{full}", r"\iftoggle{full}{Long}{Short}.", "Short."),
        (r"\newbool{blind}\setbool{blind}{true}", r"\notbool{blind}{Names}{None}.", "None."),
        (r"\newif\ifblind\blindtrue", r"\ifbool{blind}{None}{Names}.", "None."),
        (
            r"\newboolean{x}\setboolean{x}{true}",
            r"\ifthenelse{\boolean{x} \AND \NOT \equal{a}{b}}{Both}{No}.",
            "Both.",
        ),
        ("", r"\ifthenelse{\equal{a}{b} \OR \equal{a}{a}}{One}{None}.", "One."),
        ("", r"10\textsuperscript{$-$4}.", "10^-4."),
        ("", r"10\textsuperscript{-6} Fe\textsuperscript{3+}.", "10^-6 Fe^3+."),
        (
            "",
            r"The 2\textsuperscript{nd} \textsuperscript{14}C m\textsuperscript{2}.",
            "The 2nd 14C m2.",
        ),
        (r"\newcommand{\kind}{long}", r"\ifdefstring{\kind}{long}{Yes}{No}.", "Yes."),
        ("", r"\ifblank{ }{Blank}{Full}.", "Blank."),
        ("", r"\ifnumcomp{3}{>}{5}{More}{Less}.", "Less."),
        ("", r"\ifnumcomp{-2}{<}{+1}{Less}{More}.", "Less."),
        ("", r"\ifnumcomp{4}{=}{4}{Same}{Other}.", "Same."),
        ("", r"\ifcsdef{nowhere}{Known}{Unknown}.", "Unknown."),
        (r"\newcommand{\here}{x}", r"\ifcsname here\endcsname There\else Gone\fi.", "There."),
        (
            r"\NewDocumentCommand{\say}{om}{\IfNoValueTF{#1}{#2}{#1: #2}}",
            r"\say{two} and \say[one]{two}.",
            "two and one: two.",
        ),
    ],
)
def test_only_the_printed_branch_is_read(
    tmp_path: Path, preamble: str, body: str, printed: str
) -> None:
    assert text_of(tmp_path, body, preamble) == printed


@pytest.mark.parametrize(
    ("condition", "is_true"),
    [
        (r"\ifnumgreater{3}{2}", True),
        (r"\ifnumless{\value{n}}{4}", False),
        (r"\ifnumequal{2--2}{\three+1}", True),
        (r"\ifcsstring{three}{3}", True),
        (r"\ifboolexpr{togl {on} and not (bool {no} or test {\ifnumless{2}{1}})}", True),
        (r"\ifthenelse{\(\equal{a}{b} \OR \isodd{3}\) \AND \value{n} > 4}", False),
        (r"\ifthenelse{\isempty{}}", True),
        (r"\IfStrEq{a}{a}", True),
        (r"\IfSubStr{abc}{b}", True),
        (r"\IfPackageLoadedTF{babel}", False),
        (r"\IfNothingKnowsTF{a}", False),
        (r"\ifnothingknows{a}", False),
    ],
)
def test_conditions_of_packages_have_an_answer(
    tmp_path: Path, condition: str, *, is_true: bool
) -> None:
    preamble = r"\newcounter{n}\setcounter{n}{3}\stepcounter{n}\def\three{3}\newtoggle{on}"
    text = text_of(tmp_path, condition + "{Yes}{No}.", preamble + r"\toggletrue{on}")
    assert text == ("Yes." if is_true else "No.")


@pytest.mark.parametrize(
    ("body", "printed"),
    [
        (r"\ifnum\two>1 Yes\else No\fi.", "Yes."),
        (r"\ifodd\two Odd\else Even\fi.", "Even."),
        (r"\ifcase\two none\or one\or two\or three\else many\fi.", "two."),
        (r"\ifcase 9 none\or one\else many\fi.", "many."),
        (r"\iffalse A \ifUNKNOWN B\fi C\fi D.", "D."),
        (r"\ifUNKNOWN A\else B\fi.", "B."),
        (r"a $x \iff y$ b.", r"a $x \iff y$ b."),
    ],
)
def test_conditions_of_tex_have_an_answer(tmp_path: Path, body: str, printed: str) -> None:
    assert text_of(tmp_path, body, r"\def\two{2}") == printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        (r"\num{12345.6}", "12 345.6"),
        (r"\num{.3e-45}", "0.3 × 10^-45"),
        (r"\num{1.23 +- 0.04}", "1.23(4)"),
        (r"\SI[separate-uncertainty]{1.23(4)}{\kg}", "(1.23 ± 0.04) kg"),
        (r"\num[round-mode=places,round-precision=1]{3.15}", "3.2"),
        (r"\num[exponent-mode=scientific]{31415}", "3.1415 × 10^4"),
        (r"\ang{10;20;30.5} and \ang{-4.5}", "10°20′30.5″ and -4.5°"),
        (r"\SIrange{5}{7}{\percent}", "5 % to 7 %"),
        (r"\SI{-5}{\celsius} and \SI{5}{\degree}", "-5 °C and 5°"),
        (r"\numrange[range-phrase={--}]{0.1}{0.9}", "0.1–0.9"),
        (r"\SIlist{1;2;3}{\kilo\hertz}", "1 kHz, 2 kHz and 3 kHz"),
        (r"\qtyproduct{1 x 2}{\m}", "1 m × 2 m"),
        (r"\qtylist[list-units=bracket]{1;2}{\m}", "(1 and 2) m"),
        (r"\unit{\metre\per\second\squared}", "m s⁻²"),
        (r"\unit[per-mode=symbol]{\joule\per\mole\per\kelvin}", "J/(mol K)"),
        (r"\qty{3}{\umol\per\px}", "3 µmol px⁻¹"),
        (r"\si{kg.m/s^2}", "kg m/s²"),
        (r"\SI{\best}{\speed} and \num{\textbf{5}}", "1.5 m s⁻¹ and 5"),
        (r"\qty{512}{\mebi\byte}", "512 MiB"),
    ],
)
def test_numbers_and_units_are_printed_as_siunitx_does(
    tmp_path: Path, written: str, printed: str
) -> None:
    preamble = r"\usepackage{siunitx}\DeclareSIUnit\px{px}"
    preamble += r"\newcommand{\best}{1.5}\newcommand{\speed}{\m\per\s}"
    assert text_of(tmp_path, f"Up {written}.", preamble) == f"Up {printed}."


@pytest.mark.parametrize(
    "body",
    [
        r"\ifthenelse{" + r"\NOT" * 20_000 + r"\boolean{x}}{a}{b}",
        r"\begin{subequations}" * 3_000 + r"\end{subequations}" * 3_000,
    ],
)
def test_text_around_very_deep_nesting_is_read(tmp_path: Path, body: str) -> None:
    text = text_of(tmp_path, f"Before {body} after.")
    assert text.startswith("Before ")
    assert text.endswith(" after.")


@pytest.mark.parametrize(
    ("preamble", "printed"),
    [
        (r"\excludecomment{secret}", ""),
        (r"\NewEnviron{secret}{}", ""),
        (r"\newenvironment{secret}{\comment}{\endcomment}", ""),
        (r"\newenvironment{secret}{\setbox0\vbox\bgroup}{\egroup}", ""),
        (r"\NewEnviron{secret}{[\BODY]}", "[ Hidden words. ] "),
    ],
)
def test_only_printed_environments_are_read(tmp_path: Path, preamble: str, printed: str) -> None:
    body = r"Before. \begin{secret} Hidden {words}. \end{secret} After."
    assert text_of(tmp_path, body, preamble) == f"Before. {printed}After."


@pytest.mark.parametrize(
    "definition",
    [
        r"\DeclareAcronym{rl}{short = RL, long = reinforcement learning}",
        r"\newacronym{rl}{RL}{reinforcement learning}",
        r"\acrodef{rl}[RL]{reinforcement learning}",
        r"\newacro{rl}[RL]{reinforcement learning}",
        r"\usepackage{acronym}\acro{rl}[RL]{reinforcement learning}",
        r"\newabbreviation[longplural={x}]{rl}{RL}{reinforcement learning}",
    ],
)
def test_an_acronym_is_spelled_out_at_first_use(tmp_path: Path, definition: str) -> None:
    text = text_of(tmp_path, r"\Ac{rl} and \ac{rl}, \acp{rl}, \acl*{rl}; \gls{rl}.", definition)
    assert text == "Reinforcement learning (RL) and RL, RLs, reinforcement learning; RL."


@pytest.mark.parametrize(
    ("preamble", "body", "printed"),
    [
        ("", r"\ac{ml} \ac{ml}\acrodef{ml}[ML]{learning}", "learning (ML) ML"),
        (r"\acrodef{ml}[ML]{learning}\acused{ml}", r"\ac{ml}", "ML"),
        (
            r"\DeclareAcronym{mdp}{short=MDP, long=process, long-plural=es}",
            r"\acp{mdp}, \iac{mdp}",
            "processes (MDPs), a MDP",
        ),
        (
            r"\DeclareAcronym{pca}{short=PCA, long=analysis, long-plural-form=analyses}",
            r"\acp{pca}",
            "analyses (PCAs)",
        ),
        (
            r"\setabbreviationstyle{short-long}\newabbreviation{ml}{ML}{learning}",
            r"\gls{ml}, \glsdisp{ml}{it}",
            "ML (learning), it",
        ),
        (r"\usepackage{glossaries-extra}\newacronym{ml}{ML}{learning}", r"\gls{ml}", "ML"),
    ],
)
def test_acronyms_have_forms_and_styles(
    tmp_path: Path, preamble: str, body: str, printed: str
) -> None:
    assert text_of(tmp_path, f"So {body}.", preamble) == f"So {printed}."


def test_entries_of_a_glossary_may_stand_in_a_file(tmp_path: Path) -> None:
    terms = r"\newglossaryentry{mtx}{name={matrix}, plural={matrices}}"
    body = r"\section{One} \gls{mtx}, \Glspl{mtx}."
    paper = read(tmp_path, body, preamble=r"\loadglsentries{terms}", terms_tex=terms)
    assert paper.sections[0].text == "matrix, Matrices."


@pytest.mark.parametrize(
    ("preamble", "body", "printed"),
    [
        (r"\NewDocumentCommand{\speed}{O{5}m}{#1--#2}", r"\speed{9} \speed[2]{3}", "5–9 2–3"),
        (
            r"\NewDocumentCommand{\kind}{t+}{\IfBooleanTF#1{more}{less}}",
            r"\kind+ \kind{}",
            "more less",
        ),
        (r"\NewDocumentEnvironment{away}{+b}{}{}", r"\begin{away}no\end{away}So", "So"),
        (r"\makeatletter\let\hide\@gobble\makeatother", r"\hide{no}So", "So"),
        (r"\usepackage{pdfcomment}", r"\pdftooltip{So}{no}\pdfmargincomment{no}", "So"),
        ("", r"\AddToShipoutPictureBG*{\put(0,0){no}}So", "So"),
        (r"\excludeversion{notes}", r"\begin{notes}no\end{notes}So", "So"),
        (r"\usepackage{easyReview}", r"\replace{no}{So} \comment{so}{no}", "So so"),
        ("", r"\InputIfFileExists{absent}{no}{So}", "So"),
    ],
)
def test_arguments_are_taken_as_defined(
    tmp_path: Path, preamble: str, body: str, printed: str
) -> None:
    assert text_of(tmp_path, f"{body}.", preamble) == f"{printed}."


def test_statements_of_a_class_are_parts_of_their_own(tmp_path: Path) -> None:
    body = """\\section{End} We end.
\\notices{Nobody owns the otters.}
\\bmhead{Data} Here.
\\appendix"""
    found = [(one.heading, one.role, one.text) for one in read(tmp_path, body).sections]
    assert found == [
        ("End", None, "We end."),
        (None, "other", "Nobody owns the otters."),
        ("Data", None, "Here."),
    ]


def test_labels_of_lettered_parts_are_printed(tmp_path: Path) -> None:
    parts = r"\subfloat[A]{x\label{a}}\subfloat[B]{y\label{b}}\caption{C}\label{c}"
    body = rf"\section{{One}} \begin{{figure}}{parts}\end{{figure}} \ref{{a}}, \cref{{b,c}}."
    assert read(tmp_path, body).sections[0].text == "1a, Figures 1 and 1b."


def test_a_note_in_the_list_of_references_has_no_year(tmp_path: Path) -> None:
    item = r"\begin{thebibliography}{1}\bibitem[{Note1()}]{n}We agree.\end{thebibliography}"
    assert text_of(tmp_path, rf"As \cite{{n}} says. {item}") == "As (Note1) says."
    main = tmp_path / "paper" / "main.tex"
    body = rf"\begin{{document}}\section{{A}}As \cite{{n}}.{item}\end{{document}}"
    main.write_text(rf"\documentclass{{revtex4-2}}{body}")
    assert read_document(main).sections[0].text == "As [1]."


@pytest.mark.parametrize(
    ("definition", "printed"),
    [
        (
            r"\newglossaryentry{gpu}{name={GPU}, first={chip (GPU)}, firstplural={chips (GPUs)}}",
            "chip (GPU), GPU, Chips (GPUs).",
        ),
        (
            r"\newacronym[first={the chip or GPU}]{gpu}{GPU}{chip}",
            "the chip or GPU, GPU, The chip or GPUs.",
        ),
        (r"\newglossaryentry{gpu}{name={GPU}, text={gpu}, first={chip}}", "chip, gpu, Chips."),
        (r"\newglossaryentry{gpu}{name={GPU}, description={a chip}}", "GPU, GPU, GPUs."),
    ],
)
def test_a_glossary_entry_has_a_first_form(tmp_path: Path, definition: str, printed: str) -> None:
    body = r"\gls{gpu}, \gls{gpu}, \Glsfirstplural{gpu}."
    assert text_of(tmp_path, body, definition) == printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        (r"\makecell{Per-\\formance}", "Performance"),  # a word of the text
        (r"\makecell[l]{cross-\\ entropy}", "cross-entropy"),
        (r"\shortstack{Micro-\\average}", "Micro-average"),
        (r"\makecell{in 3-\\5 steps}", "in 3- 5 steps"),
    ],
)
def test_words_hyphenated_by_hand_are_joined(tmp_path: Path, written: str, printed: str) -> None:
    table = rf"\begin{{tabular}}{{cc}} {written} & F1 \\ 1 & 2 \end{{tabular}}"
    paper = read(tmp_path, rf"\section{{One}} Its performance. {table}")
    assert paper.tables[0].cells[0] == (printed, "F1")


@pytest.mark.parametrize(
    "written",
    [
        r"\tbl{A caption.}{\begin{tabular}{c} 1 \\ 2 \end{tabular}}",
        r"\begin{longtable}{c} \caption{A caption.}\\ 1 \\ \endfirsthead"
        r" \caption{A caption (continued).}\\ 1 \\ \endhead 2 \end{longtable}",
        r"\begin{longtable}{c} 1 \\ \endfirsthead 1 \\ \endhead 2 \\ \caption{A caption.}"
        r" \end{longtable}",
    ],
)
def test_a_caption_is_read_once(tmp_path: Path, written: str) -> None:
    paper = read(tmp_path, rf"\section{{One}} \begin{{table}} {written} \end{{table}}")
    assert [table.caption for table in paper.tables] == ["A caption."]


@pytest.mark.parametrize(
    ("definition", "written", "printed"),
    [
        (r"\renewcommand{\b}[1]{\textbf{#1}}", r"\b{bold}", "bold"),
        (r"\def\d{\mathrm{d}}", r"$\d x$", r"$\mathrm{d}x$"),
        (r"\let\v\textbf", r"\v{bold}", "bold"),
        ("", r"\b{b}\d{a}\v{s}", "ḇạš"),
    ],
)
def test_a_paper_may_redefine_accents(
    tmp_path: Path, definition: str, written: str, printed: str
) -> None:
    assert text_of(tmp_path, written, definition) == printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        (r"\url{https://a.org/#x%20y&z=$1}", "https://a.org/#x%20y&z=$1"),
        (r"\url|https://a.org/~me|", "https://a.org/~me"),
        (r"\href{https://a.org/#b}{here}", "here"),
        (r"\url{https://a.org/\~{}me/{\_}b\%20}", "https://a.org/~me/_b%20"),
        (r"\texttt{https://a.org/\~{}me/\#b}", "https://a.org/~me/#b"),
        (r"\urldef{\repo}\url{https://a.org/~me#b}\repo{}", "https://a.org/~me#b"),
    ],
)
def test_urls_may_contain_special_characters(tmp_path: Path, written: str, printed: str) -> None:
    assert text_of(tmp_path, f"See {written} now.") == f"See {printed} now."


@pytest.mark.parametrize(
    ("preamble", "codec", "text"),
    [
        (r"\usepackage[latin2]{inputenc}", "iso8859-2", "Łódź"),
        (r"\usepackage[cp1251]{inputenc}", "cp1251", "Слово"),
        (r"\usepackage[applemac]{inputenc}", "mac_roman", "naïve"),
        ("", "cp1252", "“naïve” €"),
    ],
)
def test_a_paper_is_decoded(tmp_path: Path, preamble: str, codec: str, text: str) -> None:
    part = tmp_path / "paper" / "part.tex"
    part.parent.mkdir()
    part.write_bytes(text.encode(codec))
    assert text_of(tmp_path, r"\input{part}", preamble) == text


def test_commands_of_document_classes_are_expanded(tmp_path: Path) -> None:
    paper = read(
        tmp_path,
        r"""
\title{Otters}\subtitle{A Study}
\author{\Name{Ana Bell} \Email{a@x.org}\\ \addr Uni X \AND \Name{Carl Dorn}\\ \addr Uni Y}
\section{One} We \deleted{never} \chreplaced{often}{seldom} \chdeleted{badly} \added[id=A]{swim}.
\bmhead{Funding} None.
\begin{thebibliography}{9}
\bibitem{a} A. Bell, \emph{On the lives of otters}, \mnras \textbf{2} (2001).
\bibitem{b} \bysame, \emph{More lives of otters}, Ann. Otters (2002).
\end{thebibliography}""",
    )
    assert (paper.title, [author.name for author in paper.authors]) == (
        "Otters: A Study",
        ["Ana Bell", "Carl Dorn"],
    )
    assert [(section.heading, section.text) for section in paper.sections[:2]] == [
        ("One", "We often swim."),
        ("Funding", "None."),
    ]
    assert [(cited.title, cited.first_author) for cited in paper.references] == [
        ("On the lives of otters", "A. Bell"),
        ("More lives of otters", "A. Bell"),
    ]
    assert "Royal Astronomical Society" in paper.references[0].raw


def test_symbols_may_be_given_by_number(tmp_path: Path) -> None:
    preamble = r"\newcommand{\yes}{\textcolor{green}{\ding{51}}}"
    body = r'\yes{} or \ding{55}, \symbol{10003}, \symbol{"2714}, \symbol{-1}.'
    assert text_of(tmp_path, body, preamble) == "✓ or ✗, ✓, ✔, ."
