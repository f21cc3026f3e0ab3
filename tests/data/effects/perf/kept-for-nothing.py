"""A list that grows with each call and that nothing reads: 100,000 calls."""
CASES = {"100,000 calls with a short text": (100000,)}
MEASURE = "memory"


class Runner:
    def __init__(self):
        self.history = []

    def run(self, *arguments):
        self.history.append(str(arguments))
        return len(arguments)


class Plain:
    def run(self, *arguments):
        return len(arguments)


def setup(calls):
    return calls, Runner(), Plain()


def before(calls, runner, plain):
    for i in range(calls):
        runner.run("step", i)


def after(calls, runner, plain):
    for i in range(calls):
        plain.run("step", i)
