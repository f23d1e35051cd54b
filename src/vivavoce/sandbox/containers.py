"""The sandbox as a container of Docker's: the shipped images, and whether Docker answers here."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from vivavoce.errors import InputError, VivaError

FOLDER = Path(__file__).with_name("docker")
_PIN = re.compile(r"([a-z0-9-]+)==([0-9.]+)")
_SECONDS = 20


class MissingDocker(VivaError):
    """Docker is not installed here, or its daemon does not answer."""


def compose_file(packages: tuple[str, ...]) -> Path:
    """The shipped compose file whose image has these packages; `InputError` when none has."""
    for path in sorted(FOLDER.glob("*.Dockerfile")):
        if set(packages) <= pinned_packages(path).keys():
            return path.with_name(f"{path.stem}-compose.yaml")
    raise InputError(
        f"No image for docker is shipped that has {', '.join(packages)}. Write a compose file and "
        "name it, as in -T sandbox=my-compose.yaml."
    )


def pinned_packages(dockerfile: Path) -> dict[str, str]:
    """The packages that an image installs with their versions, by name."""
    return dict(_PIN.findall(dockerfile.read_text("utf-8")))


def find_docker() -> str:
    """Version of the Docker daemon that answers here; `MissingDocker` says why there is none."""
    program = shutil.which("docker")
    if program is None:
        raise MissingDocker(
            "The program docker is not installed. Install Docker Engine and its compose plugin, "
            "or leave -T sandbox=docker out to use bubblewrap."
        )
    command = [program, "version", "--format", "{{.Server.Version}}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or str(error)
        raise MissingDocker(
            f"The docker daemon does not answer: {' '.join(str(said).split())[:300]} Start it, "
            "or leave -T sandbox=docker out to use bubblewrap."
        ) from error
    return done.stdout.strip()
