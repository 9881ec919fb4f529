"""WHAT DID THEY MEAN TOGETHER: labels from judges of unequal care, one model per file."""
