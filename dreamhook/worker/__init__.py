"""The one resident process that hooks talk to.

code: notices that config.toml changed, or that the program was removed.
control: a person's side of the worker's socket: status, stop, start.
drainer: the worker's draining thread: one round after another while there is something, patient
    when the store is away.
dream_fallback: the safety net under the schedule: starts a dream when none was tried for too
    long, whatever timers there are.
loop: the worker's life: open the socket and the bell, drain on every ring, leave when idle.
requests: the worker's answer to one inject request: from which harness, at which moment, in time,
    in its shape.
"""
