# `IPython.core.debugger`.
from IPython import embed as _nothing

set_trace = _nothing
