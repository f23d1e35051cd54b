"""Documents merged into papers: by identifiers, and by titles that nothing contradicts."""
