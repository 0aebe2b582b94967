"""SQL behind the ``Store`` port: SQLite in WAL mode, or PostgreSQL; and the folder of blobs."""

from guandan_arena.store.blobs import FolderBlobs
from guandan_arena.store.connect import connect
from guandan_arena.store.migrate import migrate
from guandan_arena.store.sql import SqlStore

__all__ = ["FolderBlobs", "SqlStore", "connect", "migrate"]
