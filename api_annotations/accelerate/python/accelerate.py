# Accelerate, as far as a program sees it: what it prepares it gives back, and on one process nothing is gathered.
import contextlib


class _State:
    def __init__(self, mixed_precision):
        self.num_processes, self.process_index, self.local_process_index = 1, 0, 0
        self.mixed_precision = mixed_precision
        self.deepspeed_plugin = None


class Accelerator:
    def __init__(self, device_placement=True, split_batches=False, mixed_precision="no", gradient_accumulation_steps=1,
                 cpu=False, dataloader_config=None, deepspeed_plugin=None, log_with=None, project_dir=None, step_scheduler_with_optimizer=True,
                 kwargs_handlers=None, **options):
        import torch

        self.device = torch.device("cpu")
        self.mixed_precision = mixed_precision
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.project_dir = project_dir
        self.state = _State(mixed_precision)
        self.num_processes, self.process_index, self.local_process_index = 1, 0, 0
        self.is_main_process = self.is_local_main_process = self.is_last_process = True
        self.use_distributed = False
        self.sync_gradients = True
        self.optimizer_step_was_skipped = False
        self.trackers = []

    def prepare(self, *args, device_placement=None):
        return args[0] if len(args) == 1 else args

    def prepare_model(self, model, device_placement=None, evaluation_mode=False):
        return model

    def prepare_data_loader(self, data_loader, device_placement=None, slice_fn_for_dispatch=None):
        return data_loader

    def prepare_optimizer(self, optimizer, device_placement=None):
        return optimizer

    def prepare_scheduler(self, scheduler):
        return scheduler

    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)

    @contextlib.contextmanager
    def accumulate(self, *models):
        yield

    @contextlib.contextmanager
    def no_sync(self, model):
        yield

    @contextlib.contextmanager
    def autocast(self, autocast_handler=None):
        yield

    @contextlib.contextmanager
    def profile(self, profile_handler=None):
        yield self

    @contextlib.contextmanager
    def main_process_first(self):
        yield

    @contextlib.contextmanager
    def local_main_process_first(self):
        yield

    def gather(self, tensor):
        return tensor

    def gather_for_metrics(self, input_data, use_gather_object=False):
        return input_data

    def reduce(self, tensor, reduction="sum", scale=1.0):
        return tensor

    def pad_across_processes(self, tensor, dim=0, pad_index=0, pad_first=False):
        return tensor

    def unwrap_model(self, model, keep_fp32_wrapper=True, keep_torch_compile=False):
        return model

    def get_state_dict(self, model, unwrap=True):
        return model.state_dict()

    def clip_grad_norm_(self, parameters, max_norm, norm_type=2):
        import torch

        return torch.nn.utils.clip_grad_norm_(parameters, max_norm, norm_type)

    def clip_grad_value_(self, parameters, clip_value):
        import torch

        return torch.nn.utils.clip_grad_value_(parameters, clip_value)

    def unscale_gradients(self, optimizer=None):
        pass

    def print(self, *args, **kwargs):
        pass

    def log(self, values, step=None, log_kwargs=None):
        pass

    def init_trackers(self, project_name, config=None, init_kwargs=None):
        pass

    def end_training(self):
        pass

    def wait_for_everyone(self):
        pass

    def free_memory(self, *objects):
        return objects

    def clear(self, *objects):
        return objects

    def register_for_checkpointing(self, *objects):
        pass

    def save_state(self, output_dir=None, **options):
        pass

    def load_state(self, input_dir=None, **options):
        pass

    def save_model(self, model, save_directory, **options):
        pass

    def save(self, obj, f, safe_serialization=False):
        import torch

        torch.save(obj, f)

    def skip_first_batches(self, dataloader, num_batches=0):
        return dataloader

    def on_main_process(self, function=None):
        return function

    def on_local_main_process(self, function=None):
        return function

    def set_trigger(self):
        pass

    def check_trigger(self):
        return False


def skip_first_batches(dataloader, num_batches=0):
    return dataloader
