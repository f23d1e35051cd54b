"""Subsets of a task's items: seeded, the same for everyone, and of every kind where asked for."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample

from vivavoce.errors import InputError
from vivavoce.tasks.subsets import Candidate, Subset, choose, take_subset


def candidates(count: int, *, clusters: int = 10_000, grades: str = "") -> list[Candidate]:
    return [
        Candidate(f"i{n}", f"c{n % clusters}", grades[n % len(grades)] if grades else "", n)
        for n in range(count)
    ]


@given(
    total=st.integers(1, 60), size=st.integers(1, 60), seed=st.integers(0, 9), strata=st.booleans()
)
@settings(deadline=None)
def test_as_many_items_as_asked_for(total: int, size: int, seed: int, strata: bool) -> None:
    items = candidates(total, clusters=7, grades="ab")
    subset = Subset(min(size, total), seed, strata)
    chosen = choose(items, subset)
    assert len(chosen) == subset.size
    assert chosen <= {item.id for item in items}
    assert choose(items[::-1], subset) == chosen


def test_another_seed_is_another_subset() -> None:
    items = candidates(40)
    assert choose(items, Subset(10)) != choose(items, Subset(10, seed=1))


def test_a_smaller_subset_is_part_of_a_larger_one() -> None:
    items = candidates(40)
    assert choose(items, Subset(5)) < choose(items, Subset(10)) < choose(items, Subset(39))


@given(counts=st.lists(st.integers(1, 30), min_size=1, max_size=5), data=st.data())
@settings(deadline=None)
def test_each_stratum_gives_its_share_but_for_one(counts: list[int], data: st.DataObject) -> None:
    items = [
        Candidate(f"{grade}-{n}", f"{grade}-{n}", str(grade))
        for grade, count in enumerate(counts)
        for n in range(count)
    ]
    size = data.draw(st.integers(1, len(items)))
    got = Counter(name.split("-")[0] for name in choose(items, Subset(size, stratify=True)))
    for grade, count in enumerate(counts):
        assert abs(got[str(grade)] - count * size / len(items)) < 1


def test_golds_of_every_size_are_in_a_stratified_subset() -> None:
    # Sizes 0 to 29: ten short ones, ten middling, ten long.
    chosen = choose(candidates(30), Subset(6, stratify=True))
    assert Counter(int(name[1:]) // 10 for name in chosen) == {0: 2, 1: 2, 2: 2}


def test_a_stratum_gives_one_item_of_each_cluster_before_any_second_one() -> None:
    items = [Candidate(f"big-{n}", "big") for n in range(20)]
    items += [Candidate(f"small-{n}", f"small-{n}") for n in range(4)]
    chosen = choose(items, Subset(5, stratify=True))
    assert Counter(name.split("-")[0] for name in chosen) == {"big": 1, "small": 4}


def test_a_subset_is_at_least_one_item() -> None:
    with pytest.raises(InputError, match="A subset of 0 items is empty"):
        Subset(0)


def task(count: int) -> Task:
    samples = [
        Sample(id=f"i{n}", input="?", target="g" * n, metadata={"cluster": f"c{n}"})
        for n in range(count)
    ]
    return Task(MemoryDataset(samples), name="toy", metadata={"setting": "base", "other": 1})


def test_a_task_of_a_subset_says_so_in_name_and_setting() -> None:
    taken = take_subset(task(8), Subset(3, seed=2, stratify=True))
    assert len(taken.dataset) == 3
    assert taken.name == "toy-3-of-8-seed-2-stratified"
    metadata = taken.metadata or {}
    assert metadata["setting"] == "base (3 of 8, seed 2, stratified)"
    assert metadata["other"] == 1
    record = {name: metadata["subset"][name] for name in ("size", "of", "seed", "stratified")}
    assert record == {"size": 3, "of": 8, "seed": 2, "stratified": True}
    plain = take_subset(task(8), Subset(3)).metadata or {}
    assert plain["setting"] == "base (3 of 8)"


def test_as_many_items_as_there_are_is_no_subset() -> None:
    taken = take_subset(task(8), Subset(8, stratify=True))
    assert (len(taken.dataset), taken.name) == (8, "toy")
    assert taken.metadata == {"setting": "base", "other": 1}
