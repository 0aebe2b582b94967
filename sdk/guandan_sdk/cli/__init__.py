"""The ``guandan`` command for bot authors."""


def main() -> None:
    """Run the command line."""
    from guandan_sdk.cli.app import run_app  # noqa: PLC0415 - importing the package alone stays cheap

    run_app()
