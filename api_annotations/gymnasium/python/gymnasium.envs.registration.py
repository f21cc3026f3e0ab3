# `gymnasium.envs.registration`: names of environments.
from gymnasium._wrappers import register, spec

registry = spec("")
