"""The command line: one file per verb or family of verbs, no statistics.

`main.py` holds the group; `rank.py`, `fit.py`, ... are the verbs. `options.py` spells the options
once for all of them, `running.py` reads what a verb is about and sends its result to the terminal
or a file, `refusals.py` says what is wrong in one line.
"""
