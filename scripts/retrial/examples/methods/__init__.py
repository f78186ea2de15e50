"""Ways to choose examples, one module each, imported only when asked for.

A module `<name>.py` defines ``choose(pool, queries, spec)``; `-` in a name is `_` in the module's.
"""
