"""Runs the roles of a process: the web server, the loop with its services, the status line."""
