"""Years of history as files: whole days as Parquet in a folder or an S3 bucket, written, verified and read again.

``places`` stores files, ``contents`` is the layout and the manifest of a day, ``writing`` archives days and decides
what retention may delete. A feature declares what of it is archived as a tuple of ``kinds.ArchivedKind``
(``Feature.archived``). This room knows no feature by name.
"""
