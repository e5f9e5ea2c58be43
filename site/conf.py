"""Sphinx's configuration. `make site` calls it with the tree that `python -m tools.site` writes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import envpool_py
from tools.site import docstrings, public_names

ROOT = Path(__file__).resolve().parent.parent

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

project = "envpool_py"
author = "the authors of envpool_py"
project_copyright = author
release = version = envpool_py.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
root_doc = "index"
suppress_warnings = [
    "myst.header",  # pages of the repository may begin below the first level
    "ref.python",  # a short name in a docstring may be that of several classes
]
needs_sphinx = "9.0"

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 5
myst_fence_as_directive: list[str] = []

# The engine's packages have no code of these: what imports them is documented without them.
autodoc_mock_imports = [
    "jax", "pettingzoo", "pfrl", "ray", "stable_baselines3", "tensordict", "tianshou", "torch",
    "torchrl",
]  # fmt: skip
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
add_module_names = False
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 88
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # else the attributes of a data class have two entries
napoleon_preprocess_types = False
# A word between single backticks in a docstring is the name of a Python object, if it is one.
default_role = "py:obj"

html_theme = "furo"
html_title = f"envpool_py {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = [str(ROOT / "build" / "site" / "extra")]
html_copy_source = False
html_show_sourcelink = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options: dict[str, Any] = {"navigation_with_keys": True}
copybutton_prompt_text = "$ "
copybutton_exclude = ".linenos, .gp, .go"
linkcheck_timeout = 20


def setup(app: Any) -> None:
    """Adds what Sphinx has no extension for.

    Names that the reference lacks are warnings, which `make site` treats as errors.
    """
    app.connect("autodoc-process-docstring", docstrings.process, priority=400)  # before Napoleon
    app.connect("env-check-consistency", public_names.check)
