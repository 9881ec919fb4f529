"""Is there a preference at all? The classical tests, with what they assume."""
