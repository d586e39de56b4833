"""Forms: fields, entries, uploads, confirmation, trials."""
