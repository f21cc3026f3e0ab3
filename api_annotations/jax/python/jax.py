# Names of the package itself that its other sources do not define.
from jax.tree_util import tree_map
