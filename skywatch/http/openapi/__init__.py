"""The OpenAPI document, generated from services and schemas."""
