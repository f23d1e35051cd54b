"""Hand-made and composed items, their market, and rows of a round made from them."""
