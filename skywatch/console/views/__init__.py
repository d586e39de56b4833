"""The pages: each checks what it was sent, calls the services that the API calls, and shows what came of it."""
