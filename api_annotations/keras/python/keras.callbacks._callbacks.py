# Callbacks: what a program's own do is run once, as training calls them.
from harp_library import outside


class Callback:
    model = None
    params = {}

    def __init__(self, *arguments, **options):
        pass

    def set_model(self, model):
        self.model = model

    def set_params(self, params):
        self.params = params

    def on_epoch_begin(self, epoch, logs=None):
        pass

    on_epoch_end = on_batch_begin = on_batch_end = on_train_batch_begin = on_train_batch_end = on_epoch_begin
    on_test_batch_begin = on_test_batch_end = on_predict_batch_begin = on_predict_batch_end = on_epoch_begin

    def on_train_begin(self, logs=None):
        pass

    on_train_end = on_test_begin = on_test_end = on_predict_begin = on_predict_end = on_train_begin

    def _called_by(self, model):
        self.set_model(model)
        self.on_train_begin({})
        self.on_epoch_begin(0, {})
        self.on_epoch_end(0, outside("logs"))
        self.on_train_end({})


class EarlyStopping(Callback):
    stopped_epoch = 0

    def _called_by(self, model):
        pass


ModelCheckpoint = TensorBoard = LearningRateScheduler = ReduceLROnPlateau = CSVLogger = History = BaseLogger = EarlyStopping
ProgbarLogger = RemoteMonitor = TerminateOnNaN = BackupAndRestore = SwapEMAWeights = OrbaxCheckpoint = EarlyStopping


class LambdaCallback(Callback):
    """Functions of the program, in place of methods."""

    def __init__(self, on_epoch_begin=None, on_epoch_end=None, *arguments, **options):
        self._end = on_epoch_end

    def _called_by(self, model):
        if self._end is not None:
            self._end(0, outside("logs"))


class CallbackList:
    def __init__(self, callbacks=None, *arguments, **options):
        self.callbacks = callbacks

    def on_epoch_begin(self, *arguments, **options):
        pass

    on_epoch_end = on_batch_begin = on_batch_end = on_train_batch_begin = on_train_batch_end = on_train_begin = on_train_end = on_epoch_begin
    set_model = set_params = append = on_epoch_begin
