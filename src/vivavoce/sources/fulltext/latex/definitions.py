"""Definitions of commands and environments, as LaTeX, its packages and TeX write them."""

from collections.abc import Collection
from dataclasses import dataclass

from vivavoce.sources.fulltext.latex.files import PaperFiles
from vivavoce.sources.fulltext.latex.layout import CONDITIONS, is_own_command
from vivavoce.sources.fulltext.latex.tokens import PARAGRAPH, TokenStream

_DOCUMENT_ENVIRONMENTS = frozenset(
    f"\\{kind}DocumentEnvironment" for kind in ("New", "Renew", "Declare", "Provide")
)
_COLLECTING = frozenset({"\\NewEnviron", "\\RenewEnviron"})
_HIDING = frozenset({"\\comment", "\\setbox"})
"""Commands with which an environment's definition hides its text."""


@dataclass(frozen=True, slots=True)
class Macro:
    """Definition of a command in the paper."""

    body: tuple[str, ...]
    arguments: int = 0
    default: tuple[str, ...] | None = None
    """Default of the first argument, which is then optional."""
    kinds: str = ""
    """Kinds of arguments, for commands with several optional ones: `m`, `o` or `s` for each."""


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
        self.options: set[str] = set()
        """Options of the document class."""
        self.packages: set[str] = set()

    def body(self, name: str) -> tuple[str, ...] | None:
        """Tokens that a command without arguments stands for; None for any other."""
        macro = self.macros.get(name)
        is_plain = macro is not None and not macro.arguments and name not in macro.body
        return macro.body if macro is not None and is_plain else None

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

    def _parameters(self) -> tuple[int, tuple[str, ...] | None]:
        """Number of arguments of a definition, and the default of the first if it has one."""
        given = "".join(self.optional() or []).strip()
        count = int(given) if len(given) == 1 and given in "123456789" else 0
        default = self.optional() if count else None
        return count, None if default is None else tuple(default)

    def define(self, *, keeps: bool) -> None:
        r"""Read a `\newcommand` definition; with `keeps`, leave a known command unchanged."""
        self.take("*")
        name = self.name()
        count, default = self._parameters()
        self.store(name, Macro(tuple(self.argument()), count, default), keeps=keeps)

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
            self.store(name, Macro(body, len(parameters)))

    def kinds(self) -> str:
        """The kinds of arguments in a specification such as `s O{} m`."""
        kinds: list[str] = []
        depth = 0
        for token in self.argument():
            depth += (token == "{") - (token == "}")
            if depth == 0 and token not in "{}":
                kinds += ("m" if kind in "+m" else "s" if kind == "s" else "o"
                          for kind in token if kind in "msoO")  # fmt: skip
        return "".join(kinds[:9])

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
        if command in _DOCUMENT_ENVIRONMENTS:
            kinds = self.kinds()
            first = Macro(tuple(self.argument()), len(kinds), kinds=kinds)
            last = Macro(tuple(self.argument()))
        else:
            count, default = self._parameters()
            body = tuple(self.argument())
            if command in _COLLECTING:  # the text of the environment is printed at `\BODY`
                place = body.index("\\BODY") if "\\BODY" in body else -1
                first, last = Macro(body[: max(place, 0)], count, default), Macro(body[place + 1 :])
                change = self.hidden.add if place < 0 else self.hidden.discard
                change(name)
            else:
                first, last = Macro(body, count, default), Macro(tuple(self.argument()))
                if not _HIDING.isdisjoint(body):
                    self.hidden.add(name)
        if name and not is_own_command(f"\\begin{{{name}}}"):
            self.macros[f"\\begin{{{name}}}"] = first
            self.macros[f"\\end{{{name}}}"] = last


def is_parameter(token: str) -> bool:
    """Check whether a token stands for an argument."""
    return len(token) == 2 and token[0] == "#" and token[1].isdigit()
