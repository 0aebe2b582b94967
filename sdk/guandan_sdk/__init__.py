"""Write a Guandan bot."""
