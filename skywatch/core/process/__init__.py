"""What a process is made of: tasks, deadlines, periodic work, child processes, its secret, its version.

Not here: starting and ending the roles of a process (`serving`).
"""
