"""Members by group, such as the papers of each author, in two arrays."""

from __future__ import annotations

import numpy as np

from vivavoce.networks.columns import Ints


class Groups:
    """The members of each of `count` groups, in the order given.

    Args:
        group: The group of each member.
        member: The members.
        count: How many groups there are.
    """

    def __init__(self, group: Ints, member: Ints, count: int) -> None:
        order = np.argsort(group, kind="stable")
        self._members = member[order]
        self._starts = np.searchsorted(group[order], np.arange(count + 1))

    def of(self, group: int) -> Ints:
        """The members of a group."""
        return self._members[self._starts[group] : self._starts[group + 1]]
