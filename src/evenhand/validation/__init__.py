"""IS THE MODEL ANY GOOD: models of preference judged by votes that they have not seen."""
