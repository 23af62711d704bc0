"""The simulated driver: a pool of machines, a network and a store that misbehave, in virtual time.

The master's and the pilots' deciding code is the real one, unchanged: a `World` performs what it
orders on simulated physics and injects the faults of a `Scenario`. `World(scenario).run()` gives an
`Outcome`; two runs of one scenario give the same journal, event by event.

In reading order: clock (the alarm queue), host (how fast a host is, when), scenario (the input),
toy (an application whose results can be checked), runs, store, pilot_shell, master_shell, world,
metrics (the output) and scenarios (those with a name).
"""
