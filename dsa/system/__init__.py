"""Files: written whole or not at all, named arrays, text tables, folders."""
