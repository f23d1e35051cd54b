"""Readers of metadata from catalogues and archives, and of texts fetched from them."""
