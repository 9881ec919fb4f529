"""What variance components of comparisons are made of: residuals, moments, attenuation."""
