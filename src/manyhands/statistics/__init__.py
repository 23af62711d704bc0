"""How sure we are: what an application returns, tallies, their merges and their errors."""
