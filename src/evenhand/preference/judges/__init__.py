"""What the model of random judge effects is made of: start, sites, integrals, fit, words."""
