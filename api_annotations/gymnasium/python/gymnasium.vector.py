# `gymnasium.vector`: several environments of one kind at once. What they observe has a further first axis, one row for each.
import harp_library as _harp
import numpy as _np


class VectorEnv:
    def __init__(self, env_fns, *arguments, **options):
        self.env_fns = env_fns
        self.num_envs = len(env_fns)
        self._one = env_fns[0]()
        self.single_observation_space = self._one.observation_space
        self.single_action_space = self._one.action_space
        self.observation_space = self.action_space = _harp.outside("a space of several environments")
        self.metadata = self.spec = _harp.outside("what an environment says of itself")
        self.closed = False

    @property
    def envs(self):
        return [make() for make in self.env_fns]

    @property
    def unwrapped(self):
        return self

    def _rows(self, observation):
        return _np.stack([observation] * self.num_envs) if isinstance(observation, _np.ndarray) else _harp.outside("observations")

    def reset(self, *, seed=None, options=None):
        observation, info = self._one.reset()
        return self._rows(observation), _harp.outside("what environments say beside")

    def step(self, actions):
        observation, reward, terminated, truncated, info = self._one.step(actions[0])
        return (self._rows(observation), _np.zeros(self.num_envs), _np.zeros(self.num_envs, dtype=bool), _np.zeros(self.num_envs, dtype=bool),
                _harp.outside("what environments say beside"))

    def call(self, name, *args, **kwargs):
        return _harp.outside("what environments give")

    def get_attr(self, name):
        return _harp.outside("what environments give")

    def set_attr(self, name, values):
        return None

    def render(self):
        return _harp.outside("pictures")

    def close(self, **options):
        return None


class SyncVectorEnv(VectorEnv):
    pass


class AsyncVectorEnv(VectorEnv):
    pass
