"""The process that computes: the application at work for one slot of a pilot."""
