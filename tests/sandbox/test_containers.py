"""Docker by option: what its containers may do, and what is said where there is no Docker."""

import asyncio
import re
from pathlib import Path

import pytest
import yaml
from inspect_ai.util import ComposeConfig

from vivavoce.errors import InputError
from vivavoce.sandbox.command import (
    FOLDER,
    MissingDocker,
    compose_file,
    find_docker,
    pinned_packages,
)

ROOT = Path(__file__).parents[2]
SETS = [("numpy", "pandas", "pyarrow"), ("numpy", "torch", "safetensors")]


def service(packages: tuple[str, ...]) -> dict[str, object]:
    (found,) = yaml.safe_load(compose_file(packages).read_text("utf-8"))["services"].values()
    return dict(found)


@pytest.mark.parametrize("packages", SETS)
def test_a_container_has_no_network_no_rights_and_little_room(packages: tuple[str, ...]) -> None:
    found = service(packages)
    assert found["network_mode"] == "none"
    assert found["read_only"] is True
    assert found["cap_drop"] == ["ALL"]
    assert found["security_opt"] == ["no-new-privileges:true"]
    assert str(found["user"]).split(":")[0] not in {"0", "root"}
    assert found["mem_limit"] == found["memswap_limit"] == "2g"
    assert found["pids_limit"] == 64
    assert [one.split(":")[0] for one in found["tmpfs"]] == ["/work", "/tmp"]
    assert all("size=" in one for one in found["tmpfs"])
    for name in ("volumes", "devices", "cap_add", "privileged", "ports", "env_file"):
        assert name not in found
    # What Inspect reads of a compose file, whichever of its providers it hands it to.
    ComposeConfig.model_validate({"services": {"default": found}})


@pytest.mark.parametrize("packages", SETS)
def test_an_image_has_the_versions_that_we_test_with(packages: tuple[str, ...]) -> None:
    dockerfile = FOLDER / str(service(packages)["build"]["dockerfile"])
    pins = pinned_packages(dockerfile)
    assert set(packages) <= pins.keys()
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    known = dict(re.findall(r"^([\w-]+)==([^\s;+]+)", lock, re.MULTILINE))
    assert pins == {name: known[name] for name in pins}
    assert "USER 65532" in dockerfile.read_text("utf-8")


def test_an_image_that_is_not_shipped_can_be_written() -> None:
    with pytest.raises(InputError, match=r"has numpy, jax\..*sandbox=my-compose\.yaml"):
        compose_file(("numpy", "jax"))


def test_inspect_gives_the_compose_file_to_docker_as_it_is() -> None:
    from inspect_ai.util._sandbox.docker.util import ComposeProject

    path = compose_file(SETS[0])
    project = asyncio.run(ComposeProject.create("inspect-formula-i123456", str(path)))
    assert project.config == path.as_posix()


def docker(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program called docker, alone on the path."""
    program = folder / "docker"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_a_machine_without_docker_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDocker, match=r"not installed.*use bubblewrap"):
        find_docker()
    docker(tmp_path, "echo 'Cannot connect to the daemon.' >&2; exit 1", monkeypatch)
    with pytest.raises(MissingDocker, match=r"does not answer: Cannot connect to the daemon\."):
        find_docker()
    docker(tmp_path, "echo 27.1.0", monkeypatch)
    assert find_docker() == "27.1.0"
