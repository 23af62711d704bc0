"""Do it: the clock, the journal, the transport, the store and the processes of a real pool."""
