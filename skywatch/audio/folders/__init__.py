"""The input ``folder``: recordings that another program puts into a folder."""
