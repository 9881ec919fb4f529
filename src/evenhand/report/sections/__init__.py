"""One file for each family of questions: each section asks one, and writes what was found."""
