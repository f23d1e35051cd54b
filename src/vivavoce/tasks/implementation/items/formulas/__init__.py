"""One TOML file per family of formulas, and the functions that compute them."""
