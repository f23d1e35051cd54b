"""The checker of the project's own prose: docstrings, the manual, help texts."""
