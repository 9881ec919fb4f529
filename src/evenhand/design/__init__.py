"""Campaigns of judgments: read from a file and assigned, or simulated.

>>> from evenhand import design
>>> design.SIMULATED
('hamon2007_simulated',)
>>> design.simulate("hamon2007_simulated").size
40720
"""

from evenhand import lend_names

__getattr__, __dir__ = lend_names(__name__, __file__)
