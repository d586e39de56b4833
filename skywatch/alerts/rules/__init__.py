"""The rules of users: create, change, share, follow, export, import and try out."""
