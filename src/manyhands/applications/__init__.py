"""What a task runs: Python functions, found again in other processes, and two that are built in."""
