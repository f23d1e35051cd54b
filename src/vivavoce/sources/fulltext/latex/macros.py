"""Turn a whole paper into one list of tokens: expand macros, read in files, decide conditions.

Expansion stops once it has made more tokens than any paper needs, so a macro that calls itself, or
doubles with every call, costs bounded time and memory. The paper is then read again without it.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from importlib import resources

from vivavoce.errors import InputError
from vivavoce.sources.fulltext.latex.acronyms import Acronyms
from vivavoce.sources.fulltext.latex.conditions import COUNTING, Conditions
from vivavoce.sources.fulltext.latex.definitions import Macro
from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.layout import CONDITIONS, commands
from vivavoce.sources.fulltext.latex.quantities import Quantities
from vivavoce.sources.fulltext.latex.tokens import LITERAL, EndlessMacros, Frame, tokenise

_MAX_TOKENS = 3_000_000
_MAX_INPUTS = 1_000
_MAX_INPUT = 20
_DEFINE, _DOCUMENT_COMMANDS, _PRIMITIVE_DEFINE, _ENVIRONMENT, _INPUT, _IMPORT = map(
    commands, ("define", "document_commands", "primitives", "define_environment", "input", "import")
)
_ENDS = frozenset({"\\fi", "\\repeat"})
_VERSION = re.compile(r"\\(include|exclude)(?:comment|version)")
_MAX_FORMAT = 100
"""Most tokens of a definition of how a counter is printed."""
_MAX_IGNORED = 3
"""Most endless macros that a paper may have."""


def expand(files: PaperFiles, name: str) -> list[str]:
    """Every token of the paper whose main file is `name`, without macros that never end.

    Raises:
        InputError: Files or macros exceed all bounds, even without the macros called most.
    """
    ignored: frozenset[str] = frozenset()
    acronyms = Acronyms()
    while True:
        expander = Expander(files, ignored, acronyms)
        try:
            tokens = expander.expand(name)
            if not acronyms.were_missed():
                return tokens
            acronyms = Acronyms(acronyms.known)
        except EndlessMacros:
            busiest = next((n for n, _ in expander.calls.most_common() if n not in ignored), None)
            if len(ignored) == _MAX_IGNORED or busiest is None:
                raise
            ignored |= {busiest}


class Expander(Conditions):
    """Reads a paper, starting from its main file."""

    def __init__(
        self, files: PaperFiles, ignored: Collection[str] = (), acronyms: Acronyms | None = None
    ) -> None:
        super().__init__(files, ignored)
        self.calls: Counter[str] = Counter()
        """Number of calls of each macro."""
        self._acronyms = acronyms or Acronyms()
        self._quantities = Quantities()
        self._inputs = 0
        self._out: list[str] = []

    def expand(self, name: str) -> list[str]:
        """Every token of the paper; `InputError` if its macros or files exceed all bounds."""
        self.frames.append(Frame(tokenise(self._files.text(name)), name))
        self.frames.append(Frame(_prelude()[""]))
        out = self._out
        while (token := self.next()) is not None:
            if self.skipped:
                self.skip(token)
                continue
            if token[0] == "\\" and self._execute(token, out):
                if out and out[-1] == "\\end{document}":
                    out.pop()
                    break
                continue
            out.append(token)
            if len(out) > _MAX_TOKENS:
                raise InputError("its text is larger than a paper can be")
        return out

    def _execute(self, token: str, out: list[str]) -> bool:
        """Carry out a command; False for one that is left to be printed."""
        macro = self.macros.get(token)
        if macro is not None:
            self.calls[token] += 1
            self._call(macro)
        elif token in _DEFINE:
            self.define(keeps=token == "\\providecommand")
        elif token in _PRIMITIVE_DEFINE:
            self.define_primitive(is_expanded=token in {"\\edef", "\\xdef"})
        elif token in _DOCUMENT_COMMANDS:
            name, arguments = self.name(), self.specification()
            self.store(name, Macro(tuple(self.argument()), arguments))
        elif token == "\\let":
            self.let()
        elif token in _ENVIRONMENT:
            self.define_environment(token)
        elif token == "\\urldef":
            name, command = self.name(), self.next() or ""
            self.store(name, Macro((command, "{", *self.argument(), "}")))
        elif token == "\\newif":
            self.switches.setdefault(self.name(), False)
        elif token in self.switches or (token[:3] == "\\if" and self.is_open_condition(token)):
            self.decide(token)
        elif token in COUNTING:
            out += [token, *self.count(token)]
        elif token in {"\\else", "\\or"}:
            self.leave_branch()
        elif token in _ENDS:
            pass
        elif token in _INPUT:
            self._input(self._file_name())
        elif token in _IMPORT:
            folder, name = self._file_name(), self._file_name()
            self._input(f"{folder.rstrip('/')}/{name}" if folder else name)
        elif token in {"\\usepackage", "\\RequirePackage", "\\documentclass"}:
            self._use_package(token, out)
        elif (version := _VERSION.fullmatch(token)) is not None:
            change = self.hidden.add if version[1] == "exclude" else self.hidden.discard
            change("".join(self.argument()).strip())
        elif token in {"\\begin", "\\end"}:
            self._environment(token, out)
        elif token == "\\endinput":
            while self.frames and self.frames.pop().name is None:
                pass
        elif (taken := self.choose(token)) is not None:
            self.push(taken)
        elif (printed := self._acronyms.print(token, self)) is not None:
            self.push(printed)
        elif (made := self._quantities.print(token, self)) is not None:
            self.push(made)
        else:
            return self._set_switch(token)
        return True

    def store(self, name: str, macro: Macro, *, keeps: bool = False) -> None:
        """Keep a definition; that of how a counter is printed stays in the text as well."""
        super().store(name, macro, keeps=keeps)
        is_short = len(macro.body) <= _MAX_FORMAT
        if is_short and name.startswith("\\the") and self.macros.get(name) is macro:
            counters = {token[1:] for token in macro.body if token.startswith("\\the")}
            body = self.expanded(macro.body, counters)
            self.spend(len(body))
            self._out += ["\\@the", "{", name[4:], "}", "{", *body, "}"]

    def _set_switch(self, token: str) -> bool:
        for ending, value in (("true", True), ("false", False)):
            switch = "\\if" + token[1:].removesuffix(ending)
            if token.endswith(ending) and switch in self.switches and switch not in CONDITIONS:
                self.switches[switch] = value
                return True
        return False

    def _call(self, macro: Macro) -> None:
        values: list[Sequence[str]] = []
        for kind, default in macro.arguments:
            if kind == "{":
                values.append(self.argument())
            elif kind == "[":
                given = self.optional()
                values.append(default if given is None else given)
            else:
                values.append(["\\BooleanTrue"] if self.take(kind) else default)
        meant = {f"#{number}": value for number, value in enumerate(values, start=1)}
        self.spend(sum(len(meant.get(token, (token,))) for token in macro.body))
        self.push([part for token in macro.body for part in meant.get(token, (token,))])

    def _environment(self, token: str, out: list[str]) -> None:
        name = "".join(self.argument()).strip()
        whole = f"{token}{{{name}}}"
        macro = self.macros.get(whole)
        if token == "\\begin" and name in self.hidden and self.pass_environment(name):
            return
        if macro is not None:
            self._call(macro)
        else:
            out.append(whole)

    def _file_name(self) -> str:
        if self.peek() == "{":
            return "".join(self.argument()).removeprefix(LITERAL)
        token = (self.next() or "").lstrip()
        name, _, rest = token.partition(" ")
        while not rest and (following := self.next()) is not None:
            if following[0] not in "_~" and not following[0].isalnum():
                self.push([following])
                break
            word, _, rest = following.partition(" ")
            name += word
        if rest:
            self.push([rest])
        return name

    def _use_package(self, token: str, out: list[str]) -> None:
        """Read in the paper's own packages, but none that lays out titles; keep the command."""
        options = self.optional()
        names = "".join(self.argument())
        if token == "\\documentclass":
            self.options |= {each.strip() for each in "".join(options or []).split(",")}
        for name in names.split(","):
            self.packages.add(name.strip())
            self.push(_prelude().get(name.strip(), ()))
            path = self._files.find(name, suffixes=(".sty",))
            if path and "maketitle" not in self._files.text(path):
                self._read_in(path)
        out += [token, "[", *(options or []), "]", "{", *filter(None, [names]), "}"]

    def _input(self, name: str) -> None:
        current = next((frame.name for frame in reversed(self.frames) if frame.name), "")
        path = self._files.find(name, current or "")
        if path:
            self._read_in(path)

    def _read_in(self, name: str) -> None:
        open_files = [frame.name for frame in self.frames if frame.name]
        self._inputs += 1
        if name in open_files or len(open_files) >= _MAX_INPUT:
            return
        if self._inputs > _MAX_INPUTS:
            raise InputError(f"it reads in more than {_MAX_INPUTS} files")
        tokens = tokenise(self._files.text(name))
        start = _find_document(tokens, "\\begin")
        if start is not None:
            end = _find_document(tokens, "\\end")
            tokens = tokens[start + 4 : end if end is not None and end > start else len(tokens)]
        self.spend(len(tokens))
        # The end of a file is the end of a line.
        self.frames.append(Frame([*tokens, "\n"], name))


@cache
def _prelude() -> dict[str, tuple[str, ...]]:
    """Definitions read before a paper's own, by the package that they need; empty for none."""
    text = (resources.files(__package__) / "prelude.tex").read_text("utf-8")
    first, *others = re.split(r"^%% (\S+)$", text, flags=re.MULTILINE)
    parts = zip(["", *others[::2]], [first, *others[1::2]], strict=True)
    return {name: tuple(tokenise(definitions)) for name, definitions in parts}


def _find_document(tokens: Sequence[str], command: str) -> int | None:
    r"""Place of `\begin{document}` or `\end{document}` among raw tokens."""
    wanted = [command, "{", "document", "}"]
    for place, token in enumerate(tokens):
        if token == command and list(tokens[place : place + 4]) == wanted:
            return place
    return None
