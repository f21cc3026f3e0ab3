# `matplotlib.style`: styles.
from matplotlib._drawn import Drawn, _ignored

context = library = available = Drawn()
use = reload_library = _ignored
