"""One file an architecture: `ARCHITECTURES` holds its variants."""
