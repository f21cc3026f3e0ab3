# Marks in traces; they change nothing.
class TraceAnnotation:
    def __init__(self, name, **keywords):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


class StepTraceAnnotation(TraceAnnotation):
    pass


def trace(log_dir, *arguments, **keywords):
    return TraceAnnotation(log_dir)


def annotate_function(func, name=None, **decorator_kwargs):
    return func
