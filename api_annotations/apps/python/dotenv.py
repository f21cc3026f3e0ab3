# `dotenv`: settings of the environment.
import harp_library as _harp


def load_dotenv(*arguments, **options):
    return bool(_harp.outside("whether there is such a file"))


def find_dotenv(*arguments, **options):
    return str(_harp.outside("a file"))


def dotenv_values(*arguments, **options):
    return _harp.outside("settings of the environment")


get_key = set_key = dotenv_values
