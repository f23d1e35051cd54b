"""The entry point Inspect loads: importing this registers every task, solver, scorer and model.

The parts of every registered family are imported, those of other packages too.
"""

from vivavoce.errors import PluginError
from vivavoce.models.local import local
from vivavoce.models.offline import extractive, replay
from vivavoce.models.scripted import scripted
from vivavoce.sandbox.provider import BwrapSandboxEnvironment
from vivavoce.tasks.lookup import import_families
from vivavoce.tasks.methods.agent import agent
from vivavoce.tasks.methods.custom_agent import custom_agent
from vivavoce.tasks.methods.direct import copycat, direct, null, oracle
from vivavoce.tasks.methods.rag import rag

__all__ = [
    "UNUSABLE",
    "BwrapSandboxEnvironment",
    "agent",
    "copycat",
    "custom_agent",
    "direct",
    "extractive",
    "local",
    "null",
    "oracle",
    "rag",
    "replay",
    "scripted",
]

UNUSABLE: dict[str, PluginError] = import_families()
"""Families of other packages whose parts cannot be imported, by name."""
