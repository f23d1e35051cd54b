"""The dated library of a round that agents search."""
