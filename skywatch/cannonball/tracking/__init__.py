"""What watches the picture around each user: locations, interest, sessions, threat levels and alerts.

Pure rules (`threat`, `alerts`, `geometry`) are kept apart from what holds state (`locations`, `interest`, `watch`,
`sessions`) and from the database (`records`, `writer`).
"""
