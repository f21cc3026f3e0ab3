# `gym.wrappers`: wrappers whose environments give what they give.
from gym import Wrapper as _Wrapper
import harp_library as _harp
from gymnasium.wrappers import _Changed


class TimeLimit(_Wrapper):
    pass


RecordEpisodeStatistics = RecordVideo = Monitor = OrderEnforcing = ClipAction = RescaleAction = NormalizeReward = TransformReward = TimeLimit
AtariPreprocessing = FrameStack = GrayScaleObservation = ResizeObservation = FlattenObservation = NormalizeObservation = _Changed
TransformObservation = FilterObservation = PixelObservationWrapper = LazyFrames = TimeAwareObservation = _Changed
