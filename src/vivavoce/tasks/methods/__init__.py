"""Ways of using a model that several families share: Inspect solvers."""
