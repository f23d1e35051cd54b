"""Pure text functions that several rooms share."""
