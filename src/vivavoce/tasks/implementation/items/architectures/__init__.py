"""One TOML file per architecture, and the ground truths."""
