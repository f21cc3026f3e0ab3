# Dates and durations with which programs compute: what a clock says is not known, what a program writes is.
import time as _time

MINYEAR = 1
MAXYEAR = 9999
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_before(year, month):
    days = (year - 1) * 365 + (year - 1) // 4 - (year - 1) // 100 + (year - 1) // 400
    days += sum(_DAYS[: month - 1])
    return days + (1 if month > 2 and _is_leap(year) else 0)


def _ordinal(year, month, day):
    return _days_before(year, month) + day


def _from_ordinal(number):
    year = (number - 1) * 400 // 146097 + 1
    if _days_before(year, 1) >= number:
        year -= 1
    if _days_before(year + 1, 1) < number:
        year += 1
    rest = number - _days_before(year, 1)
    months = [days + 1 if place == 1 and _is_leap(year) else days for place, days in enumerate(_DAYS)]
    month = 1
    for days in months:
        if rest <= days:
            break
        rest -= days
        month += 1
    return year, month, rest


class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        seconds = seconds + 60 * minutes + 3600 * hours + 86400 * (days + 7 * weeks)
        total = round(1000000 * seconds + microseconds + 1000 * milliseconds)
        self._all = total
        self.days = total // 86400000000
        self.seconds = total // 1000000 % 86400
        self.microseconds = total % 1000000

    def total_seconds(self):
        return self._all / 1000000

    def __add__(self, other):
        if isinstance(other, timedelta):
            return timedelta(microseconds=self._all + other._all)
        return other + self

    def __sub__(self, other):
        return timedelta(microseconds=self._all - other._all)

    def __mul__(self, other):
        return timedelta(microseconds=self._all * other)

    def __rmul__(self, other):
        return timedelta(microseconds=self._all * other)

    def __truediv__(self, other):
        if isinstance(other, timedelta):
            return self._all / other._all
        return timedelta(microseconds=self._all / other)

    def __floordiv__(self, other):
        if isinstance(other, timedelta):
            return self._all // other._all
        return timedelta(microseconds=self._all // other)

    def __mod__(self, other):
        return timedelta(microseconds=self._all % other._all)

    def __neg__(self):
        return timedelta(microseconds=-self._all)

    def __abs__(self):
        return timedelta(microseconds=abs(self._all))

    def __bool__(self):
        return self._all != 0

    def __eq__(self, other):
        return isinstance(other, timedelta) and self._all == other._all

    def __lt__(self, other):
        return self._all < other._all

    def __le__(self, other):
        return self._all <= other._all

    def __gt__(self, other):
        return self._all > other._all

    def __ge__(self, other):
        return self._all >= other._all

    def __hash__(self):
        return hash(self._all)

    def __str__(self):
        seconds = self.seconds
        text = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        if self.days:
            text = f"{self.days} day{'' if abs(self.days) == 1 else 's'}, {text}"
        return text if not self.microseconds else f"{text}.{self.microseconds:06d}"


class date:
    def __init__(self, year, month, day):
        self.year, self.month, self.day = year, month, day

    @classmethod
    def fromisoformat(cls, text):
        return cls(int(text[0:4]), int(text[5:7]), int(text[8:10]))

    @classmethod
    def fromordinal(cls, number):
        return cls(*_from_ordinal(number))

    @classmethod
    def today(cls):
        return cls(_time.some_year(), _time.some_month(), _time.some_day())

    def toordinal(self):
        return _ordinal(self.year, self.month, self.day)

    def weekday(self):
        return (self.toordinal() + 6) % 7

    def isoweekday(self):
        return self.toordinal() % 7 or 7

    def replace(self, year=None, month=None, day=None):
        return date(year or self.year, month or self.month, day or self.day)

    def isoformat(self):
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    def strftime(self, form):
        return _formatted(self, form)

    def _key(self):
        return (self.year, self.month, self.day)

    def __str__(self):
        return self.isoformat()

    def __add__(self, other):
        return date(*_from_ordinal(self.toordinal() + other.days))

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return date(*_from_ordinal(self.toordinal() - other.days))
        return timedelta(days=self.toordinal() - other.toordinal())

    def __eq__(self, other):
        return self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __le__(self, other):
        return self._key() <= other._key()

    def __gt__(self, other):
        return self._key() > other._key()

    def __ge__(self, other):
        return self._key() >= other._key()

    def __hash__(self):
        return hash(self._key())


class time:
    def __init__(self, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        self.hour, self.minute, self.second, self.microsecond, self.tzinfo = hour, minute, second, microsecond, tzinfo

    def isoformat(self):
        return f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}"

    def __str__(self):
        return self.isoformat()


class datetime(date):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        self.year, self.month, self.day = year, month, day
        self.hour, self.minute, self.second, self.microsecond, self.tzinfo = hour, minute, second, microsecond, tzinfo

    @classmethod
    def now(cls, tz=None):
        day = (_time.some_year(), _time.some_month(), _time.some_day())
        return cls(*day, _time.some_hour(), _time.some_minute(), _time.some_second(), 0, tz)

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def utcnow(cls):
        return cls.now()

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        return cls.now(tz)

    @classmethod
    def combine(cls, date, time, tzinfo=None):
        return cls(date.year, date.month, date.day, time.hour, time.minute, time.second, time.microsecond)

    @classmethod
    def fromisoformat(cls, text):
        clock = [int(part) for part in text[11:19].split(":")] if len(text) > 11 else []
        return cls(int(text[0:4]), int(text[5:7]), int(text[8:10]), *clock)

    @classmethod
    def strptime(cls, text, form):
        found = {"Y": 1900, "m": 1, "d": 1, "H": 0, "M": 0, "S": 0, "f": 0}
        place = at = 0
        while place < len(form):
            if form[place] == "%" and form[place + 1] in found:
                letter = form[place + 1]
                end = at
                most = 4 if letter == "Y" else 6 if letter == "f" else 2
                while end < len(text) and text[end].isdigit() and end - at < most:
                    end += 1
                found[letter] = int(text[at:end])
                at, place = end, place + 2
            elif form[place] == "%" and form[place + 1] == "b":
                found["m"] = _MONTHS.index(text[at:at + 3]) + 1
                at, place = at + 3, place + 2
            elif form[place] == text[at]:
                at, place = at + 1, place + 1
            else:
                raise ValueError(text)
        if at != len(text):
            raise ValueError(text)
        return cls(found["Y"], found["m"], found["d"], found["H"], found["M"], found["S"], found["f"])

    def date(self):
        return date(self.year, self.month, self.day)

    def time(self):
        return time(self.hour, self.minute, self.second, self.microsecond)

    def timestamp(self):
        return _time.time()

    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None, tzinfo=None):
        pick = lambda new, old: old if new is None else new
        return datetime(
            pick(year, self.year), pick(month, self.month), pick(day, self.day), pick(hour, self.hour),
            pick(minute, self.minute), pick(second, self.second), pick(microsecond, self.microsecond),
        )

    def isoformat(self, sep="T", timespec="auto"):
        clock = f"{self.hour:02d}:{self.minute:02d}:{self.second:02d}"
        day = f"{self.year:04d}-{self.month:02d}-{self.day:02d}"
        return f"{day}{sep}{clock}" if not self.microsecond else f"{day}{sep}{clock}.{self.microsecond:06d}"

    def _key(self):
        return (self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond)

    def _since(self):
        seconds = self.hour * 3600 + self.minute * 60 + self.second
        return (self.toordinal() * 86400 + seconds) * 1000000 + self.microsecond

    def __str__(self):
        return self.isoformat(" ")

    def __add__(self, other):
        total = self._since() + other._all
        seconds = total // 1000000
        clock = (seconds // 3600 % 24, seconds // 60 % 60, seconds % 60, total % 1000000)
        return datetime(*_from_ordinal(seconds // 86400), *clock)

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self + -other
        return timedelta(microseconds=self._since() - other._since())


def _formatted(day, form):
    clock = (getattr(day, "hour", 0), getattr(day, "minute", 0), getattr(day, "second", 0))
    parts = {
        "%Y": f"{day.year:04d}", "%m": f"{day.month:02d}", "%d": f"{day.day:02d}", "%y": f"{day.year % 100:02d}",
        "%H": f"{clock[0]:02d}", "%M": f"{clock[1]:02d}", "%S": f"{clock[2]:02d}", "%b": _MONTHS[day.month - 1],
        "%f": f"{getattr(day, 'microsecond', 0):06d}", "%j": f"{day.toordinal() - _days_before(day.year, 1):03d}",
        "%F": f"{day.year:04d}-{day.month:02d}-{day.day:02d}", "%T": f"{clock[0]:02d}:{clock[1]:02d}:{clock[2]:02d}",
    }
    for letter, text in parts.items():
        form = form.replace(letter, text)
    return _time.strftime(form) if "%" in form else form
