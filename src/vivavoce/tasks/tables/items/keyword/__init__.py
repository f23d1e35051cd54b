"""A table out of a pool of papers by rules alone: what any use of a model has to beat."""
