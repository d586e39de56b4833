"""Rules as users manage them: create, change, share, follow, export, import and try out.

Not here: the meaning of conditions (`alerts/conditions`).
"""
