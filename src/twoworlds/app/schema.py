"""`twoworlds schema`: the columns of a file and their types, printed as TOML."""

from __future__ import annotations

import click

from ..engines import opened

__all__ = ["command"]


@click.command()
@click.argument("file")
def command(file: str) -> None:
    """The columns of FILE and their types, as TOML: a first draft of what a table declares.

    FILE is a path or a quoted glob (.parquet, .csv, .tsv, .json, .jsonl), or 'file.duckdb::table'.
    """
    with opened(file, sniff=True) as source:
        click.echo(source.schema.toml(), nl=False)
        if source.sniffed:
            click.echo("The types were guessed from the first rows. Check each before you rely on it.", err=True)
