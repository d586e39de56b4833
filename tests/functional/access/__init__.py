"""Who may call what: what each operation of the API needs, and by ``tests.rights`` what every caller gets.

Each feature has a file here with ``ROWS``; add a row for every operation you add, then regenerate the manual's page:

    python -m tests.functional.access.page

``test_matrix`` fails if an operation has no row, if a row has no operation, if the page is old, and wherever an
answer is not the one that the table says.
"""
