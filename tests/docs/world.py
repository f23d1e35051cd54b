"""What the examples of the pages take for given: papers, a round, logs, and servers to ask."""

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.corpus.fetching_corpus import knowing, three_papers
from tests.docs.commands import ROOT, run_commands
from tests.docs.inputs import write_inputs
from tests.docs.obliging import obliging
from tests.servers.arxiv_replay import Ask, FakeClock, Fault, replaying
from tests.servers.catalogue_arxiv import CatalogueArxiv, Entry
from tests.servers.oai_replay import Repository, days_of_june, serving
from tests.servers.scripted import KEY, scripted
from tests.support.once import make_once

FAMILIES = """
[leaderboards]
pool = "corpus"

[tables]
min_papers = 4
distractors = 2

[implementation]
formulas = ["PEG"]
architectures = []
reports = ["growth_at_a_price"]
"""
SPEC = f"""[round]
id = "2024-h2"
window = {{ start = 2024-11-10, end = 2025-01-01 }}
families = ["writing", "leaderboards", "ranking", "tables", "implementation"]
{FAMILIES}"""
LIVE = """[round]
id = "live"
window = { start = 2024-07-01, end = 2024-11-01 }
families = ["writing"]
sealed = true

[writing]
settings = ["base"]

"""
MADE = """
viva ingest sample 60 --corpus corpus
viva network build --corpus corpus
viva round build round.toml --corpus corpus --out rounds
viva run title --round rounds/2024-h2 --logs logs --model extractive/lead
viva run table --round rounds/2024-h2 --logs logs --method bm25_phrases
"""
ENCODER = """
python - <<END
import sys
from pathlib import Path
sys.path.insert(0, "$ROOT")
from tests.small_models import save_bert
save_bert(Path("models/encoder"), "[PAD] [UNK] [CLS] [SEP] [MASK] a of the".split(), 512)
END
"""
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
_TOML = re.compile(r"^```toml\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class World:
    """A folder to copy, and how to run commands in a copy."""

    folder: Path
    programs: Path
    environment: Mapping[str, str]

    def copy_to(self, folder: Path) -> None:
        """Make a copy that a page can do with as it likes."""
        shutil.copytree(self.folder, folder)

    def run(self, commands: str, folder: Path) -> str:
        """Run commands in a copy; what they print."""
        return run_commands(commands, folder, self.programs, self.environment)


@contextmanager
def make_world(factory: pytest.TempPathFactory, programs: Path) -> Iterator[World]:
    """A world, and its servers as long as the block lasts."""
    with _servers(factory.mktemp("world")) as environment:

        def make(folder: Path) -> None:
            _write(folder)
            more = ENCODER if find_spec("transformers") else ""
            World(folder, programs, environment).run(MADE + more, folder)

        yield World(make_once(factory, "world", make), programs, environment)


def _write(made: Path) -> None:
    """Write the files that a reader would have."""
    write_inputs(made / "inputs")
    (made / "round.toml").write_text(SPEC, "utf-8")
    (made / "live.toml").write_text(LIVE + _toml_of("how-to/live.md", "[update]"), "utf-8")
    cutoffs = _toml_of("audits.md")
    (made / "cutoffs.toml").write_text(cutoffs.replace("lab/one", "openai-api/lab/one"), "utf-8")
    (made / "my_agent.py").write_text(_code_of("how-to/model.md", "solve"), "utf-8")
    (made / "mine.py").write_text(_code_of("families/leaderboards.md", "as_listed"), "utf-8")


def _toml_of(page: str, start: str = "") -> str:
    """The one block of settings on a page that begins so."""
    blocks = _TOML.findall((ROOT / "docs" / page).read_text("utf-8"))
    (found,) = [block for block in blocks if block.startswith(start)]
    return str(found)


def _code_of(page: str, name: str) -> str:
    """The block of Python on a page that defines what a later command of it names."""
    blocks = _PYTHON.findall((ROOT / "docs" / page).read_text("utf-8"))
    (found,) = [block for block in blocks if f"def {name}(" in block]
    return str(found)


@contextmanager
def _servers(folder: Path) -> Iterator[dict[str, str]]:
    """A model, a library and two archives on the loopback interface, as variables tell of them."""
    clock = FakeClock()
    library, cited = three_papers(folder), knowing("2001.00009")

    def texts(ask: Ask) -> Fault | None:
        return cited(ask) if ask.target.startswith("/api/") else library(ask)

    with (
        scripted(obliging) as model,
        replaying({}, clock) as store,
        replaying({}, clock) as arxiv,
        serving(Repository(days_of_june(4)), clock) as oai,
    ):
        store.script = texts
        arxiv.script = CatalogueArxiv([Entry("2406.00010", date(2024, 6, 10), ("Ada First",))])
        yield {
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": KEY,
            "LAB_BASE_URL": model.url,
            "LAB_API_KEY": KEY,
            "TEXTS": store.origin,
            "ARXIV": arxiv.api,
            "OAI": f"{oai.origin}/oai",
            "ROOT": str(ROOT),
            "HF_HOME": str(folder / "hub"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
