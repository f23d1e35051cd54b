"""One file a family of formulas: `FORMULAS` holds its variants."""
