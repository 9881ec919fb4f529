"""What would change the answer: fewer judgments, other choices, cycles."""
