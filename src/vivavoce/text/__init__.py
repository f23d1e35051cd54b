"""Pure text functions shared by several packages."""
