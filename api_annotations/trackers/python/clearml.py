# `clearml`: tasks, and what they are told.
from wandb._tracked import Tracked


class Task(Tracked):
    @classmethod
    def init(cls, *arguments, **options):
        return Tracked()

    create = get_task = current_task = init


Logger = Dataset = OutputModel = InputModel = Tracked
