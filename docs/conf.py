"""How the pages of this folder become a site; `make docs` builds it.

Nothing is asked of the network while the site is built or read, and every warning is an error.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.insert(0, str(HERE.parent / "src"))

from palette import read_palette  # noqa: E402 (found on the path that was just set)

import vivavoce  # noqa: E402
import vivavoce._registry  # noqa: E402, F401 (Inspect cannot be imported once autodoc is at work)

project = "Viva Voce"
author = "Viva Voce contributors"
project_copyright = author
release = version = vivavoce.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "viva_directives"]
exclude_patterns = ["_build", "_ext"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
default_role = "code"
suppress_warnings = ["ref.python"]  # a type that a package shows again has two addresses
add_module_names = False
python_use_unqualified_type_names = True
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
toc_object_entries = False
napoleon_numpy_docstring = False
napoleon_use_ivar = True
highlight_language = "none"

BOARD_STYLE = HERE.parent / "src" / "vivavoce" / "web" / "static" / "style.css"
light, dark = read_palette(BOARD_STYLE.read_text("utf-8"))

html_theme = "furo"
html_title = "Viva Voce"
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_math_renderer = "mathml"
html_show_search_summary = False  # it would fetch pages, which browsers refuse to files
html_theme_options = {"light_css_variables": light, "dark_css_variables": dark}
pygments_style = "friendly"
pygments_dark_style = "native"
