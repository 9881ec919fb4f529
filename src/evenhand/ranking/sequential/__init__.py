"""Rankings that may be looked at after every vote."""
