"""What a resource is made of: service, schemas, validation, answers."""
