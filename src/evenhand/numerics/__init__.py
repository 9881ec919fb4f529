"""Plain arrays in, plain arrays out: mathematics that knows no judge and no system."""

import numpy as np
from numpy.typing import NDArray

# What most arrays hold, under the names that they have everywhere
Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
