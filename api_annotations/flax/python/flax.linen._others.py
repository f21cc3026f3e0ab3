# Names of linen that stand in other modules, too.
from flax.core import FrozenDict
from flax.linen.initializers import ones_init, zeros_init
