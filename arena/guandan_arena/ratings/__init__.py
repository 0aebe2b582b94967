"""How strong a version is: online Elo in exact milli-points, and a refit with honest error bars beside it."""
