"""What a tie says: laws with a tie parameter, laws with thresholds, parameters by group."""
