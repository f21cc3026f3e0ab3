# `gymnasium.wrappers`: those that leave what is observed as it is, and those that change it in a way that is not followed.
import harp_library as _harp
from gymnasium._wrappers import Wrapper


class TimeLimit(Wrapper):
    pass


RecordEpisodeStatistics = RecordVideo = Monitor = OrderEnforcing = PassiveEnvChecker = Autoreset = AutoResetWrapper = HumanRendering = TimeLimit
ClipAction = RescaleAction = NormalizeReward = TransformReward = TransformAction = StickyAction = TimeLimit


class _Changed:
    def __init__(self, env=None, *arguments, **options):
        self.env = env
        self.observation_space = self.action_space = _harp.outside("a space")

    def reset(self, **options):
        return _harp.outside("an observation")

    def step(self, action):
        return _harp.outside("what an environment gives")

    def __getattr__(self, name):
        return _known


def _known(*arguments, **options):
    return _harp.outside("what an environment gives")


AtariPreprocessing = FrameStack = FrameStackObservation = GrayScaleObservation = GrayscaleObservation = ResizeObservation = _Changed
FlattenObservation = NormalizeObservation = TransformObservation = FilterObservation = RescaleObservation = PixelObservationWrapper = _Changed
AddRenderObservation = MaxAndSkipObservation = TimeAwareObservation = DelayObservation = ReshapeObservation = DtypeObservation = _Changed
