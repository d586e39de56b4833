"""The web server of the API: waitress, hardened, with bodies that wait for the application's decision.

Not here: what the application does with a request (`http`).
"""
