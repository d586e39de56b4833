"""Whether tests take the shortcuts that save half of their processor time; ``pytest --plain`` takes none.

They are the process that has imported everything and is forked (``prefork``), the routes and views that applications
share (``app_templates``), and the compiled SQL that engines share (``compiled_statements``).
"""

taken = True
