"""Pure text functions that several packages share."""
