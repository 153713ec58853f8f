"""How each exercise is meant to work: NumPy, computed in float64, one module per chapter."""
