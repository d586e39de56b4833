"""Safety events as they are stored: their life, their rows and what is published of them."""
