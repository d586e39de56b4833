"""Years of history as files: whole days as Parquet in a folder or an S3 bucket, written, verified and read again.

``storage`` stores files, ``contents`` is the layout and the manifest of a day, ``writer`` archives days and decides
what retention may delete. A feature provides what of it is archived (``hooks.ArchivedKinds``). This package knows no
feature by name.
"""
