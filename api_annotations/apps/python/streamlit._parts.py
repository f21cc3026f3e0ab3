# Parts of an application: what they are asked for is as little known, and what is passed to them stays as it is.
import harp_library as _harp


class Part:
    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return Part()

    def __call__(self, *arguments, **options):
        return Part()

    def __getitem__(self, key):
        return Part()

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(_harp.some_of([Part()]))

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        return None


def nothing(*arguments, **options):
    return None


def asked(*arguments, **options):
    return _harp.outside("what a user or a service says")


def given_back(function):
    return function


def decorating(*arguments, **options):
    """A decorator that leaves the function as it is, with options or without."""
    return arguments[0] if len(arguments) == 1 and len(options) == 0 and callable(arguments[0]) else given_back


class Routes:
    """An application whose functions answer requests."""

    def __init__(self, *arguments, **options):
        self.config, self.state, self.logger, self.jinja_env = {}, Part(), Part(), Part()

    def _decorator(self, *arguments, **options):
        return decorating(*arguments, **options)

    route = get = post = put = delete = patch = head = options = websocket = middleware = exception_handler = on_event = errorhandler = _decorator
    before_request = after_request = teardown_appcontext = teardown_request = context_processor = template_filter = api_route = _decorator
    callback = cli_command = before_first_request = shell_context_processor = _decorator

    def _nothing(self, *arguments, **options):
        return None

    run = run_server = register_blueprint = include_router = add_middleware = mount = add_url_rule = add_api_route = init_app = _nothing
    add_exception_handler = add_event_handler = _nothing

    def __getattr__(self, name):
        return Part()
