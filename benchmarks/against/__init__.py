"""The same function on the same machine, by manyhands and by what users would pick instead."""
