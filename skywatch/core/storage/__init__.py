"""What is stored in the background, for how long, and by whom it was changed."""
