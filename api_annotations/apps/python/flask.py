# `flask`: functions that answer requests.
import harp_library as _harp
from streamlit._parts import Part as _Part, Routes, asked as _asked, nothing as _nothing


class Flask(Routes):
    pass


class Blueprint(Routes):
    pass


jsonify = render_template = render_template_string = redirect = url_for = send_file = send_from_directory = make_response = Response = _asked
stream_with_context = get_flashed_messages = copy_current_request_context = escape = _asked
flash = abort = _nothing
request = current_app = g = session = _harp.outside("a request")
