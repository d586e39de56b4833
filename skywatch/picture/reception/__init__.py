"""What each receiver of the picture receives, for features that measure or show it."""
