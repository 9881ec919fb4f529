"""Charts of what was found, drawn by matplotlib."""
