# `imageio.v2`: videos, frame by frame. Pictures of files are described with other files.
import harp_library as _harp


class _File:
    """A video that is read or written."""

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        return None

    def append_data(self, im, meta=None):
        return None

    def close(self):
        return None

    def get_data(self, index, **options):
        return _harp.outside("a frame")

    def get_next_data(self):
        return _harp.outside("a frame")

    def __iter__(self):
        return iter(_harp.some_of([_harp.outside("a frame")]))

    def iter_data(self):
        return iter(_harp.some_of([_harp.outside("a frame")]))

    def __len__(self):
        return _harp.free_size("frames", 0)

    def count_frames(self):
        return _harp.free_size("frames", 0)

    get_length = count_frames

    def get_meta_data(self, *arguments, **options):
        return _harp.outside("what a video says of itself")


def get_writer(uri, format=None, mode="?", **options):
    return _File()


get_reader = get_writer


def volread(uri, **options):
    return _harp.outside("a volume")


def volwrite(uri, vol, **options):
    return None


mvolread = volread
mvolwrite = volwrite
