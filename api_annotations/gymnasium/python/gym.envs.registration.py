# `gym.envs.registration`: names of environments.
from gymnasium._wrappers import register as _register, spec as _spec

register = _register
spec = _spec
registry = _spec("")
