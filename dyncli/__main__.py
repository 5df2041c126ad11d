"""`python -m dyncli` and the console scripts `dyn` and `dyncli`."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from dyncli.cli.main import run

    run()


if __name__ == "__main__":
    main()
