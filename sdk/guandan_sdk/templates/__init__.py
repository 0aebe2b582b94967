"""What `guandan init` copies."""
