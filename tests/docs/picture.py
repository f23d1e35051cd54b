"""Draw the board of README: `make picture` runs the demo and shows its first page twice."""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from tests.conftest import CHROMIUM_FLAGS
from typer.testing import CliRunner

from vivavoce.cli import app

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "_static"
SIZE = {"width": 1180, "height": 1400}
HEIGHT = 860


def main() -> int:
    """Write both pictures."""
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "demo"
        done = CliRunner().invoke(app, ["demo", "--out", str(demo)])
        if done.exit_code:
            sys.exit(done.output)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS
            )
            for scheme in ("light", "dark"):
                page = browser.new_page(viewport=SIZE, color_scheme=scheme)
                page.goto((demo / "site" / "index.html").as_uri())
                # From the words that say what it is, down to the contestants.
                top = page.locator(".on-top").bounding_box()
                part = {"x": 0, "y": top["y"] - 8, "width": SIZE["width"], "height": HEIGHT}
                page.screenshot(path=PICTURES / f"board-{scheme}.png", clip=part)
            browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
