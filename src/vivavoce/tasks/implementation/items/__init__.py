"""Hand-made items, the market they are computed on, and how both become rows of a round."""
