"""The console's session: who may begin one, its cookie, and the first run.

Not here: the pages of sign-in (`console/views/entrance`), and logins (`accounts`).
"""
