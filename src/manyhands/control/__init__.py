"""What to do: pure state machines and policies; standard library only."""
