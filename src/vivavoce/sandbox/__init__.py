"""Running of model-written programs without network, host files or leftover processes."""
