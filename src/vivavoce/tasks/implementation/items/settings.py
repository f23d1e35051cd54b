"""Settings of the implementation tasks: how much a model is told of the data and the field."""

from __future__ import annotations

from vivavoce.errors import InputError

LEVELS = {"base": "brief", "none": "none", "full": "full"}
"""Detail about the data in a setting, by the first part of its name."""
KNOWLEDGE = "+knowledge"
"""End of the name of a setting that adds notes on the field."""


def effective_setting(setting: str, data_info: str | None, knowledge: bool | None) -> str:
    """The setting that a name or its two parts ask for.

    Raises:
        InputError: A part is unknown, or name and parts disagree.
    """
    if data_info is None and knowledge is None:
        return setting
    if setting != "base":
        raise InputError(f"Give setting={setting} or data_info and knowledge, not both.")
    names = {level: name for name, level in LEVELS.items()}
    if data_info is not None and data_info not in names:
        raise InputError(f"data_info={data_info!r} is unknown. There are: none, brief, full.")
    if knowledge is not None and type(knowledge) is not bool:
        raise InputError(f"knowledge={knowledge!r} is unknown. There are: true, false.")
    return names[data_info or "brief"] + (KNOWLEDGE if knowledge else "")


def data_level(setting: str) -> str:
    """none, brief or full."""
    return LEVELS[setting.removesuffix(KNOWLEDGE)]


def has_knowledge(setting: str) -> bool:
    """True for a setting that adds notes on the field."""
    return setting.endswith(KNOWLEDGE)
