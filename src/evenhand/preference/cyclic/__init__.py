"""Parts of mElo: a penalised likelihood with a low-rank skew part, its maximum, its strength."""
