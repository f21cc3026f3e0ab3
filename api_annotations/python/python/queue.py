# Queues between threads. Threads run where they are started, so that what a queue holds is what was put into it until then; what another thread
# puts into it later is not known.
import queue


class Empty(Exception):
    pass


class Full(Exception):
    pass


class Queue:
    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self.queue = []

    def put(self, item, block=True, timeout=None):
        self.queue.append(item)

    def put_nowait(self, item):
        self.put(item)

    def get(self, block=True, timeout=None):
        if self.queue:
            return self._taken()
        return queue.what_another_thread_puts()

    def _taken(self):
        return self.queue.pop(0)

    def get_nowait(self):
        if not self.queue:
            raise Empty
        return self._taken()

    def qsize(self):
        return len(self.queue)

    def empty(self):
        return not self.queue

    def full(self):
        return 0 < self.maxsize <= len(self.queue)

    def task_done(self):
        pass

    def join(self):
        pass


class SimpleQueue(Queue):
    pass


class LifoQueue(Queue):
    def _taken(self):
        return self.queue.pop()


class PriorityQueue(Queue):
    def _taken(self):
        least = min(self.queue)
        self.queue.remove(least)
        return least
