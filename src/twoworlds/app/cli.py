"""The command line: a table of commands, each loaded when it is called.

Data go to stdout and words to stderr. Exit codes: 0 done, 1 refused, 2 wrong usage.
"""

from __future__ import annotations

import sys
from importlib import import_module

import click

from .. import __version__
from ..errors import TwoWorldsError

__all__ = ["COMMANDS", "main"]

COMMANDS = {
    "demo": "A private release and an audit of a table the package makes itself, as text and as a page.",
    "schema": "The columns of a file and their types, as TOML: a first draft of what a table declares.",
}
"""Every command, with its one line of help; each lives in the file of its name."""


class _Commands(click.Group):
    """Commands by name: listing them loads none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f".{cmd_name}", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="twoworlds")
def commands() -> None:
    """Publish statistics about people, and say how hard it is to notice any one of them."""


def main() -> None:
    """The entry point: refusals are one line on stderr, never a traceback."""
    try:
        commands(standalone_mode=False)
    except click.exceptions.Abort:
        click.echo("stopped", err=True)
        sys.exit(1)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except (TwoWorldsError, OSError) as error:
        click.echo(f"twoworlds: {error}", err=True)
        sys.exit(1)
