"""What a process is made of: files, tasks, deadlines, periodic work, its version."""
