"""One file per outside layout, all of one shape: NAME, TITLE, NEEDS, ROLES, recognise, understand."""
