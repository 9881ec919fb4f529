"""One file for each section of a report: each asks a question and writes what was found."""
