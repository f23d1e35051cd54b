"""The sentence or two a reader asks for a table with, and how it is kept from telling it."""
