# `matplotlib.dates`: axes of dates.
from matplotlib._drawn import Drawn

DateFormatter = DayLocator = MonthLocator = YearLocator = HourLocator = MinuteLocator = WeekdayLocator = AutoDateLocator = Drawn
AutoDateFormatter = ConciseDateFormatter = DateLocator = Drawn
