"""What lives in Redis: the ladder's Elo, the tables' live streams, the queue of work, the workers' heartbeats."""
