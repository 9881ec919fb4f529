"""What the model of judge slopes is made of: cells, quadrature, likelihood, search, posterior."""
