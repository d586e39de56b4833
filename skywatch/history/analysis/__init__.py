"""What many flights say together: statistics, heat map and coverage."""
