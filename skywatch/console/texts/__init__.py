"""The texts of the console in four languages.

English is the key: templates and views hold the English text, and a catalogue holds its translations, in one file for
each part of the console (a list of texts, each in English, German, French and Spanish). ``shared.json`` (by key) and
``sentences.json`` (by the code of ``skywatch.sentences``) belong to the web application as well: its build reads them
here. What is not in the catalogue is shown in English.
"""
