"""What a journal tells: who did what and when, in numbers, pictures and words."""
