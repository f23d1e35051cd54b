"""What Inspect loads with the package costs nothing until a name of the package is looked up."""

import subprocess
import sys

NAMES = """
import inspect_ai, inspect_ai._cli.main, sys
from inspect_ai._util.registry import _registry, registry_info, registry_lookup
before = set(sys.modules)
import vivavoce._registry
print(*sorted({name for name in set(sys.modules) - before}))
keys = {key for key in _registry if ":vivavoce/" in key}
for kind, name in [key.split(":") for key in sorted(keys)]:
    found = registry_lookup(kind, name)
    assert callable(found), name
    assert registry_info(found).name in {name, name.replace("-", "_")}
print(*sorted({key for key in _registry if ":vivavoce/" in key} - keys))
# A command may import the code before Inspect loads entry points: it stays.
from vivavoce.tasks.lookup import create_method
del sys.modules["vivavoce._registry"]
import vivavoce._registry
create_method("implementation", "naive", {})
"""
HEAVY = {"numpy", "scipy", "pandas", "pyarrow", "lxml", "torch", "yaml"}


def test_names_stand_for_all_that_the_families_register() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NAMES], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    imported, unlisted = done.stdout.splitlines()
    rooms = {name.split(".")[1] for name in imported.split() if name.startswith("vivavoce.")}
    assert rooms & {"_registry", "tasks", "metrics", "models", "readers"} == {"_registry"}
    assert {name.partition(".")[0] for name in imported.split()} & HEAVY == set()
    assert not unlisted
