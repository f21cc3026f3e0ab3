# `matplotlib.ticker`: where marks stand on an axis.
from matplotlib._drawn import Drawn

MaxNLocator = MultipleLocator = FixedLocator = LinearLocator = NullLocator = LogLocator = AutoLocator = AutoMinorLocator = IndexLocator = Drawn
Locator = FuncFormatter = FormatStrFormatter = StrMethodFormatter = ScalarFormatter = NullFormatter = FixedFormatter = LogFormatter = Drawn
LogFormatterSciNotation = LogFormatterMathtext = EngFormatter = PercentFormatter = Formatter = SymmetricalLogLocator = Drawn
