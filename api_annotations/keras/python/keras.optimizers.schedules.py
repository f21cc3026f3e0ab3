# Schedules: the rate at a step is a number.
from keras._shapes import _made


class LearningRateSchedule:
    def __init__(self, *arguments, **options):
        pass

    def __call__(self, step):
        return _made(())

    def get_config(self):
        return {}


class ExponentialDecay(LearningRateSchedule):
    pass


PiecewiseConstantDecay = PolynomialDecay = InverseTimeDecay = CosineDecay = CosineDecayRestarts = ExponentialDecay
