"""Evaluations of many flights: statistics, heat map and coverage."""
