"""One TOML file a family of formulas, and the functions that compute them."""
