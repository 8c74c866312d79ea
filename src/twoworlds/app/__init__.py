"""To the outside: the command line."""
