"""The pilot: a process on some host that asks for work, does it, and delivers it."""
