"""Tables leave as files: LaTeX for papers, Markdown for pages, CSV for programs."""
