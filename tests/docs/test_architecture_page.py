"""The picture of the rooms is the order of imports that `make check` holds."""

import re
import tomllib
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_the_picture_has_the_rooms_in_the_order_of_their_imports() -> None:
    page = (TOP / "docs" / "architecture.md").read_text("utf-8")
    picture = re.findall(r"^```text\n(.*?)^```$", page, re.M | re.S)[-1]
    # Names are one or two spaces apart, and more than that from what the room holds.
    drawn = [set(re.split(r" {3,}", line)[0].split()) for line in picture.splitlines()]
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    (layers,) = [
        contract["layers"]
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    held = [{name.removeprefix("vivavoce.") for name in line.split(" | ")} for line in layers]
    assert drawn == held


def test_every_room_of_the_package_is_in_the_picture() -> None:
    page = (TOP / "docs" / "architecture.md").read_text("utf-8")
    package = TOP / "src" / "vivavoce"
    rooms = {path.stem for path in package.iterdir() if path.suffix == ".py" or path.is_dir()}
    rooms -= {"__init__", "__main__", "__pycache__"}
    missing = {room for room in rooms if not re.search(rf"^(.*\s)?{room}\s", page, re.M)}
    assert missing == set()
