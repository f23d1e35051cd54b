"""Verbs made from requests: options, files of a request, and what is said of a wrong value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from vivavoce.cli.bind import verb
from vivavoce.cli.output import VivaGroup
from vivavoce.errors import InputError
from vivavoce.requests import Arg, Bootstrap, Opt, check_values
from vivavoce.requests.run import given_pairs


@dataclass(frozen=True, kw_only=True)
class Survey(Bootstrap):
    """A request with a field of every kind."""

    papers: Annotated[tuple[str, ...], Arg("Papers.")] = ()
    round: Annotated[Path, Opt("A round.")]
    since: Annotated[date | None, Opt("A day.")] = None
    models: Annotated[tuple[str, ...], Opt("Models.", "--model")] = ("lead",)
    args: Annotated[Mapping[str, Any], Opt("Arguments.", "-T", read=given_pairs)] = field(
        default_factory=dict
    )
    window: Annotated[int, Opt("A window.", min=1, hidden=True)] = 8


Loud = Annotated[bool, Opt("Loud.")]


class Recorder(list[Any]):
    """What the verb was given; its program for a line of words."""

    def __call__(self, *words: str | Path) -> Any:
        app = typer.Typer(cls=VivaGroup)

        @verb(app, "ask")
        def ask(
            survey: Survey,
            config: Annotated[Path | None, Opt("A file.")] = None,
            loud: Loud = False,
        ) -> None:
            """Ask."""
            self.append((survey, loud))

        verb(app, "other")(other)
        return CliRunner().invoke(app, ["ask", *map(str, words)])


def other() -> None:
    """Do something else: a program of one verb has no names."""


def test_a_verb_gets_the_whole_request() -> None:
    recorder = Recorder()
    words = ("a", "b", "--round", "r", "--since", "2024-02-29", "-T", "k=5", "-T", "deep=true")
    done = recorder(*words, "--model", "x", "--model", "y", "--window", "3", "--loud")
    assert done.exit_code == 0, done.output
    survey = Survey(
        papers=("a", "b"),
        round=Path("r"),
        since=date(2024, 2, 29),
        models=("x", "y"),
        args={"k": 5, "deep": True},
        window=3,
    )
    assert recorder == [(survey, True)]
    assert "--window" not in recorder("--help").output


def test_the_command_line_wins_over_a_file_and_the_file_over_defaults(tmp_path: Path) -> None:
    recorder = Recorder()
    file = tmp_path / "survey.toml"
    file.write_text('round = "f"\nsince = 2024-01-01\nwindow = 5\nresamples = 7\n[args]\nk = 1\n')
    assert recorder("--config", file, "--resamples", "0", "--model", "x").exit_code == 0
    [(survey, _)] = recorder
    assert survey == Survey(
        round=Path("f"), since=date(2024, 1, 1), window=5, resamples=0, models=("x",), args={"k": 1}
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Missing option '--round'"),
        (("--round", "r", "--resamples", "-1"), "'--resamples': it must be at least 0, not '-1'."),
        (
            ("--round", "r", "--window", "many"),
            "'--window': it must be a whole number, not 'many'.",
        ),
        (("--round", "r", "--since", "2024-02-30"), "'2024-02-30' is not a day. Write YYYY-MM-DD"),
        (("--round", "r", "-T", "k"), "'k' is not of the form NAME=VALUE"),
        (("--round", "r", "-T", "k=1", "-T", "k=2"), "k has two values"),
    ],
)
def test_what_cannot_be_is_named_in_a_sentence(words: tuple[str, ...], says: str) -> None:
    done = Recorder()(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"windw": 3}, "here: windw is unknown. Did you mean window?"),
        ({"window": "3"}, "here: window: it must be a whole number, not '3'."),
        ({"window": 0}, "here: window: it must be at least 1, not 0."),
        ({"models": "one"}, "here: models: it must be a list, not 'one'."),
        ({"models": ["one", 2]}, "here: models.1: it must be text, not 2."),
        ({"args": 3}, "here: args: it must be a table, not 3."),
        ({"since": "soon"}, "here: since: it must be a day, written as YYYY-MM-DD, not 'soon'."),
    ],
)
def test_a_file_holds_the_fields_of_the_request_alone(values: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError) as refused:
        check_values(Survey, values, "here")
    assert str(refused.value) == says
