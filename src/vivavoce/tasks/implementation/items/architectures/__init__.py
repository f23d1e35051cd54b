"""One TOML file an architecture, and the ground truths."""
