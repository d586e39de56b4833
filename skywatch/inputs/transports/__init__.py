"""Where bytes come from: TCP, UDP, files, folders, HTTP."""
