"""The programs of a cluster, as far as Flux Operator needs one, built from their Go modules.

`python -m tests.e2e.programs` builds what is missing; it stays in the user's cache.
"""
