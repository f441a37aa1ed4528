"""Checks of a test in Python, counted: a failure is printed at once, and the test goes on."""
import sys

failures, made = [], 0


def check(good, *words):
    global made
    made += 1
    if not good:
        failures.append(words)
        print("FAILED:", *words, flush=True)


def finish(least):
    """Ends the test; never green on nothing: `least` checks are made in any case."""
    print(f"{made} checks, {len(failures)} failed")
    sys.exit(1 if failures or made < least else 0)
