"""Aircraft that come too near each other: pairs, closest approach, reasons to hold an event back."""
