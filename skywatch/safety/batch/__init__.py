"""Safety over archived days: what stored positions are enough for, and near misses by cell.

Not here: running jobs (`archive/batch`).
"""
