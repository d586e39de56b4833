"""What every page has: layout, notes, problems, wording, and lists over several pages.

Not here: the pages of each subject (`console/views`), and their texts (`console/texts`).
"""
