"""Readers of metadata: catalogues, archives, and what is fetched from them."""
