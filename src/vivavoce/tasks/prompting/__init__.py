"""Prompt templates, context windows and the fitting of texts into them."""
