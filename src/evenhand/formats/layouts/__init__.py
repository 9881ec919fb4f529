"""One file per outside layout, of one shape: NAME, TITLE, NEEDS, ROLES, recognise, understand."""
