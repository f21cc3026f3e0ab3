# `fractions`: exact ratios of whole numbers.
import math


class Fraction:
    def __init__(self, numerator=0, denominator=1):
        if isinstance(numerator, str):
            above, _, below = numerator.partition("/")
            whole, point, digits = above.partition(".")
            numerator = int(whole + digits) if point else int(above)
            denominator = 10 ** len(digits) if point else int(below or 1)
        elif isinstance(numerator, float):
            numerator, denominator = numerator.as_integer_ratio()
        elif isinstance(numerator, Fraction):
            numerator, denominator = numerator.numerator, numerator.denominator * denominator
        common = math.gcd(numerator, denominator)
        if denominator < 0:
            common = -common
        self.numerator = numerator // common
        self.denominator = denominator // common

    def __add__(self, other):
        other = _fraction(other)
        below = self.denominator * other.denominator
        return Fraction(self.numerator * other.denominator + other.numerator * self.denominator, below)

    def __radd__(self, other):
        return self + other

    def __sub__(self, other):
        return self + -_fraction(other)

    def __rsub__(self, other):
        return _fraction(other) - self

    def __mul__(self, other):
        if isinstance(other, float):
            return float(self) * other
        other = _fraction(other)
        return Fraction(self.numerator * other.numerator, self.denominator * other.denominator)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        other = _fraction(other)
        return Fraction(self.numerator * other.denominator, self.denominator * other.numerator)

    def __rtruediv__(self, other):
        return _fraction(other) / self

    def __floordiv__(self, other):
        other = _fraction(other)
        return (self.numerator * other.denominator) // (self.denominator * other.numerator)

    def __pow__(self, power):
        if power < 0:
            return Fraction(self.denominator ** -power, self.numerator ** -power)
        return Fraction(self.numerator ** power, self.denominator ** power)

    def __neg__(self):
        return Fraction(-self.numerator, self.denominator)

    def __abs__(self):
        return Fraction(abs(self.numerator), self.denominator)

    def __int__(self):
        return int(self.numerator // self.denominator) if self.numerator >= 0 else -(-self.numerator // self.denominator)

    def __trunc__(self):
        return int(self)

    def __float__(self):
        return self.numerator / self.denominator

    def __floor__(self):
        return self.numerator // self.denominator

    def __ceil__(self):
        return -(-self.numerator // self.denominator)

    def __round__(self, digits=None):
        floor, rest = divmod(self.numerator, self.denominator)
        if rest * 2 == self.denominator:
            return floor + floor % 2
        return floor + (1 if rest * 2 > self.denominator else 0)

    def __bool__(self):
        return self.numerator != 0

    def __eq__(self, other):
        other = _fraction(other)
        return self.numerator == other.numerator and self.denominator == other.denominator

    def __lt__(self, other):
        other = _fraction(other)
        return self.numerator * other.denominator < other.numerator * self.denominator

    def __le__(self, other):
        return self < other or self == other

    def __gt__(self, other):
        return not self <= other

    def __ge__(self, other):
        return not self < other

    def __hash__(self):
        return hash((self.numerator, self.denominator))

    def __str__(self):
        return str(self.numerator) if self.denominator == 1 else f"{self.numerator}/{self.denominator}"

    def limit_denominator(self, max_denominator=1000000):
        if self.denominator <= max_denominator:
            return self
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self.numerator, self.denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        one, two = Fraction(p0 + k * p1, q0 + k * q1), Fraction(p1, q1)
        return two if abs(two - self) <= abs(one - self) else one


def _fraction(value):
    return value if isinstance(value, Fraction) else Fraction(value)
