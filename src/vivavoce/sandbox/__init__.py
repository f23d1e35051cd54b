"""Sandbox for model-written programs: no network, no host files, no leftover processes."""
