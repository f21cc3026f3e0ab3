# `gym`, the package that became `gymnasium`: before its version 0.26 a step gave four values and a reset one, since then five and two. What a program
# expects is not held against it.
import harp_library as _harp
import gymnasium
from gymnasium._wrappers import logger as _logger, register as _register, spec as _spec
from gymnasium import spaces as _spaces

logger = _logger
register = _register
spec = _spec
spaces = _spaces

Space = spaces.Space


def _known(*arguments, **options):
    return _harp.outside("what an environment gives")


class _Made:
    """An environment that a name stands for."""

    def __init__(self):
        self.observation_space = self.action_space = _harp.outside("a space")
        self.spec = self.metadata = self.reward_range = _harp.outside("what an environment says of itself")

    def __getattr__(self, name):
        return _known

    @property
    def unwrapped(self):
        return self

    @property
    def env(self):
        return self

    def reset(self, **options):
        return _harp.outside("an observation")

    def step(self, action):
        return _harp.outside("what an environment gives")


class Env:
    metadata = {"render.modes": [], "render_modes": []}
    spec = None
    reward_range = (-1e30, 1e30)

    @property
    def unwrapped(self):
        return self

    def seed(self, seed=None):
        return [seed]

    def render(self, mode="human"):
        return _harp.outside("a picture")

    def close(self):
        return None

    @property
    def np_random(self):
        import numpy as np

        return np.random.RandomState()


class GoalEnv(Env):
    pass


class Wrapper(Env):
    def __init__(self, env, *arguments, **options):
        self.env = env

    def __getattr__(self, name):
        return getattr(self.env, name)

    @property
    def unwrapped(self):
        return self.env.unwrapped

    def step(self, action):
        return self.env.step(action)

    def reset(self, **options):
        return self.env.reset(**options)

    def seed(self, seed=None):
        return self.env.seed(seed)

    def render(self, *arguments, **options):
        return self.env.render(*arguments, **options)

    def close(self):
        return self.env.close()


class ObservationWrapper(Wrapper):
    def reset(self, **options):
        self.observation(_harp.outside("an observation"))
        return _harp.outside("an observation")

    def step(self, action):
        self.env.step(action)
        self.observation(_harp.outside("an observation"))
        return _harp.outside("what an environment gives")


class RewardWrapper(Wrapper):
    def step(self, action):
        self.env.step(action)
        return _harp.outside("what an environment gives")


class ActionWrapper(Wrapper):
    def step(self, action):
        return self.env.step(self.action(action))


def make(id, *arguments, **options):
    return _Made()


class _Error:
    class Error(Exception):
        pass

    DependencyNotInstalled = ResetNeeded = InvalidAction = UnregisteredEnv = Error


error = _Error()


class _Seeds:
    def np_random(self, seed=None):
        import numpy as np

        return np.random.RandomState(), seed

    def __getattr__(self, name):
        return _known


class _Utilities:
    def __init__(self):
        self.seeding = _Seeds()

    def __getattr__(self, name):
        return _known


utils = _Utilities()
seeding = utils.seeding


class _Vectors:
    def __init__(self):
        self.SyncVectorEnv = self.AsyncVectorEnv = self.make = make

    def __getattr__(self, name):
        return _known


vector = _Vectors()
__version__ = str(_harp.outside("a version"))
