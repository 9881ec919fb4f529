"""DO JUDGES AGREE: coefficients of agreement, with intervals that allow for clusters."""
