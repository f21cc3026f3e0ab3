# `streamlit`: what a page shows, and what its user chooses.
import harp_library as _harp
from streamlit._parts import Part as _Part, asked as _asked, decorating as _decorating, nothing as _nothing

write = title = header = subheader = text = markdown = latex = code = caption = divider = set_page_config = success = error = warning = info = _nothing
exception = image = audio = video = balloons = snow = toast = json = metric = pyplot = plotly_chart = altair_chart = bokeh_chart = line_chart = _nothing
bar_chart = area_chart = scatter_chart = map = pydeck_chart = graphviz_chart = vega_lite_chart = table = stop = rerun = experimental_rerun = _nothing
set_option = html = switch_page = page_link = logo = experimental_set_query_params = _nothing
selectbox = multiselect = slider = select_slider = radio = checkbox = toggle = text_input = number_input = text_area = date_input = _asked
time_input = file_uploader = camera_input = color_picker = chat_input = button = download_button = form_submit_button = link_button = _asked
feedback = pills = segmented_control = data_editor = experimental_get_query_params = get_option = audio_input = _asked
container = expander = empty = spinner = form = status = popover = progress = chat_message = dataframe = echo = navigation = Page = _Part
cache = cache_data = cache_resource = experimental_memo = experimental_singleton = fragment = dialog = experimental_fragment = _decorating
sidebar = session_state = secrets = query_params = components = column_config = context = _Part()


def columns(spec, **options):
    count = spec if isinstance(spec, int) else len(spec)
    return [_Part() for place in range(count)] if _harp.is_known(count) else _harp.some_of([_Part()])


def tabs(tabs, **options):
    return [_Part() for tab in tabs]
