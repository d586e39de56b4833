"""``python -m skywatch`` is the ``skywatch`` command."""

from skywatch.cli import main

main()
