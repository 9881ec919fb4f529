"""What variance components of ratings are made of: terms, identification, equations, estimates."""
