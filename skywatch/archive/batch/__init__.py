"""Work over archived days: a day a task, in a pool of processes or on a Dask cluster, with results as Parquet.

Features provide what is done with a day (``BatchJobs``). ``planner`` finds out which days have no result of their
present files, ``task`` is done in a worker and returns the bytes of a result, ``pool`` and ``cluster`` hand out tasks,
``contents.results`` writes what comes back, and ``run`` puts them together. Workers read and only the command
writes, so that a worker may die at any time.

Not here: what a job does with a day: folder `batch` of `alerts`, `history`, `safety`, and `patterns/batch.py`.
"""
