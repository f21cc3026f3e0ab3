# Environments within environments. Whatever a wrapper does not do itself, the environment that it holds does.
import harp_library as _harp
import gymnasium


class Wrapper:
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

    def render(self, *arguments, **options):
        return self.env.render(*arguments, **options)

    def close(self):
        return self.env.close()


class ObservationWrapper(Wrapper):
    def reset(self, **options):
        observation, info = self.env.reset(**options)
        return self.observation(observation), info

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self.observation(observation), reward, terminated, truncated, info


class RewardWrapper(Wrapper):
    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, self.reward(reward), terminated, truncated, info


class ActionWrapper(Wrapper):
    def step(self, action):
        return self.env.step(self.action(action))


def register(*arguments, **options):
    return None


def spec(env_id):
    return _harp.outside("what an environment says of itself")


class _Log:
    def __getattr__(self, name):
        return register


logger = _Log()
