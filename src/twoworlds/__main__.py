"""`python -m twoworlds` is the command line."""

from .app.cli import main

main()
