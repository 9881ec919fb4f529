"""SAY IT: figures and tables of what was found."""
