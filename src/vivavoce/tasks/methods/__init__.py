"""Methods shared by several families, as Inspect solvers."""
