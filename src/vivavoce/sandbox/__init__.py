"""Running model-written programs without network, host files or anything left behind."""
