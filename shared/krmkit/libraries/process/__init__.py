"""Processes: work in a child of limited memory, other programs, and a stderr that never fails."""
