"""Definitions of commands and environments, as LaTeX, its packages and TeX write them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.layout import CONDITIONS, is_own_command
from vivavoce.sources.fulltext.latex.tokens import PARAGRAPH, TokenStream

_DOCUMENT_ENVIRONMENTS = frozenset(
    f"\\{kind}DocumentEnvironment" for kind in ("New", "Renew", "Declare", "Provide")
)
_COLLECTING = frozenset({"\\NewEnviron", "\\RenewEnviron"})
_MAX_ARGUMENTS = 9
_MAX_EXPANSIONS = 10
_HIDING = frozenset({"\\comment", "\\setbox"})
"""Commands with which an environment's definition hides its text."""


Arguments = tuple[tuple[str, tuple[str, ...]], ...]
"""The kind of each argument of a command, and its default: `{` and `[` for one in such brackets,
`b` for the text of an environment, any other character for itself, which is there or not."""
_BRACED = ("{", ())


@dataclass(frozen=True, slots=True)
class Macro:
    """Definition of a command in the paper."""

    body: tuple[str, ...]
    arguments: Arguments = ()


class Definitions(TokenStream):
    """A token stream that keeps the definitions made in it."""

    def __init__(self, files: PaperFiles, ignored: Collection[str] = ()) -> None:
        super().__init__()
        self._files = files
        self._ignored = ignored
        self.macros: dict[str, Macro] = {}
        self.hidden: set[str] = set()
        """Environments whose text is not printed."""
        self.switches: dict[str, bool] = dict(CONDITIONS)
        r"""Answer of each `\ifname` and, under `toggle name`, of each toggle."""
        self.counters: dict[str, int] = {}
        self.options: set[str] = set()
        """Options of the document class."""
        self.packages: set[str] = set()

    def body(self, name: str) -> tuple[str, ...] | None:
        """Tokens that a command without arguments stands for; None for any other."""
        macro = self.macros.get(name)
        is_plain = macro is not None and not macro.arguments and name not in macro.body
        return macro.body if macro is not None and is_plain else None

    def expanded(self, tokens: Sequence[str], kept: Collection[str] = ()) -> list[str]:
        """Tokens with commands without arguments expanded, but those whose names are kept."""
        left = list(tokens)
        for _ in range(_MAX_EXPANSIONS):
            places = (p for p, t in enumerate(left) if self.body(t) is not None)
            place = next((p for p in places if left[p][1:] not in kept), None)
            if place is None:
                break
            left[place : place + 1] = self.body(left[place]) or ()
        return left

    def is_defined(self, name: str) -> bool:
        """Check whether a command is defined, by the paper or by LaTeX."""
        return name in self.macros or is_own_command(name)

    def has_file(self, name: str) -> bool:
        """Check whether a file is one of the paper's."""
        return bool(self._files.find(name))

    def name(self) -> str:
        """The next argument if it is a command; else empty."""
        argument = "".join(self.argument()).strip()
        return argument if argument[:1] == "\\" else ""

    def store(self, name: str, macro: Macro, *, keeps: bool = False) -> None:
        """Keep a definition; with `keeps`, leave a known command unchanged."""
        if len(name) < 2 or is_own_command(name) or (keeps and name in self.macros):
            return
        if name in self._ignored:
            macro = Macro(())
        if macro.body != (name,):
            self.macros[name] = macro

    def _parameters(self) -> Arguments:
        """The arguments of a definition; the first is in square brackets if it has a default."""
        given = "".join(self.optional() or []).strip()
        count = int(given) if len(given) == 1 and given in "123456789" else 0
        default = self.optional() if count else None
        first = _BRACED if default is None else ("[", tuple(default))
        return (first, *[_BRACED] * (count - 1)) if count else ()

    def define(self, *, keeps: bool) -> None:
        r"""Read a `\newcommand` definition; with `keeps`, leave a known command unchanged."""
        self.take("*")
        name = self.name()
        arguments = self._parameters()
        self.store(name, Macro(tuple(self.argument()), arguments), keeps=keeps)

    def define_primitive(self, *, is_expanded: bool) -> None:
        r"""Read a `\def` definition, or an `\edef`, whose body is expanded."""
        name = self.next() or ""
        parameters: list[str] = []
        while (token := self.peek()) is not None and token != "{":
            parameters.append(token)
            self.next()
            if len(parameters) > 20 or token == PARAGRAPH:
                return
        body = tuple(self.argument())
        if is_expanded:  # its own name in the body stands for its former meaning
            former = self.macros.get(name, Macro(())).body
            body = tuple(part for t in body for part in (former if t == name else (t,)))
        # Text between the parameters would have to be matched in every call.
        if all(map(is_parameter, parameters)):
            self.store(name, Macro(body, (_BRACED,) * len(parameters)))

    def specification(self) -> Arguments:
        """The arguments in a specification such as `s O{} t+ m`."""
        stream = TokenStream()
        stream.push([kind for token in self.argument() for kind in token if not kind.isspace()])
        arguments: list[tuple[str, tuple[str, ...]]] = []
        while (kind := stream.next()) is not None and len(arguments) < _MAX_ARGUMENTS:
            if kind in "mvb":
                arguments.append(("b" if kind == "b" else "{", ()))
            elif kind in "oO":
                default = stream.argument() if kind == "O" else ["\\NoValue"]
                arguments.append(("[", tuple(default)))
            elif kind in "st":
                sign = stream.next() if kind == "t" else "*"
                arguments.append((sign or "*", ("\\BooleanFalse",)))
        return tuple(arguments)

    def let(self) -> None:
        """Read a second name for a command."""
        name = self.next() or ""
        other = self.peek() or ""
        self.next()
        if other.startswith("="):
            rest = other[1:].strip()
            other = rest or self.peek() or ""
            if not rest:
                self.next()
        self.store(name, self.macros.get(other) or Macro((other,) if other else ()))

    def define_environment(self, command: str) -> None:
        """Read the environment definition that follows `command`."""
        self.take("*")
        name = "".join(self.argument()).strip()
        is_document = command in _DOCUMENT_ENVIRONMENTS
        arguments = self.specification() if is_document else self._parameters()
        body = tuple(self.argument())
        after = () if command in _COLLECTING else tuple(self.argument())
        text = "\\BODY" if command in _COLLECTING else ""
        if arguments and arguments[-1][0] == "b":
            text, arguments = f"#{len(arguments)}", arguments[:-1]
        if text in body:  # which stands for the text of the environment
            place = body.index(text)
            body, after = body[:place], (*body[place + 1 :], *after)
            text = ""
        is_hidden = text != "" or not _HIDING.isdisjoint(body)
        change = self.hidden.add if is_hidden else self.hidden.discard
        change(name)
        if name and not is_own_command(f"\\begin{{{name}}}"):
            self.macros[f"\\begin{{{name}}}"] = Macro(body, arguments)
            self.macros[f"\\end{{{name}}}"] = Macro(after)


def is_parameter(token: str) -> bool:
    """Check whether a token stands for an argument."""
    return len(token) == 2 and token[0] == "#" and token[1].isdigit()
