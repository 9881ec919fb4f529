"""Charts of what was found, drawn by Vega-Lite."""
