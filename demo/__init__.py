"""A rated Swiss night of eight bots on this machine, from nothing: `make demo`."""
