"""What a resource is made of: `ApiService`, schemas, validation, answers as JSON.

Not here: lists with pages and cursors (`http/lists`), and the document of all (`http/openapi`).
"""
