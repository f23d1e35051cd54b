"""Statistics of results: pure functions of arrays, without files and models."""
