"""WHAT NEXT: which pair of systems to ask about, and sorting with judges as the comparator."""
