"""Literature tables: from a demand and a pool of papers to a table about those that belong."""
