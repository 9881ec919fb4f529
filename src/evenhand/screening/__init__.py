"""WHICH JUDGES TO DOUBT: the diagnosis of Hamon et al. (2007), and flags with counted errors."""
