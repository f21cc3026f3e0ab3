# `IPython.display`: what a notebook shows.
import harp_library as _harp


class DisplayObject:
    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        return _known


def _known(*arguments, **options):
    return _harp.outside("what a notebook shows")


def _shown(*arguments, **options):
    return None


display_html = display_markdown = display_svg = display_png = display_jpeg = display_latex = display_json = display_javascript = _shown
display_pdf = display_pretty = clear_output = set_matplotlib_formats = set_matplotlib_close = publish_display_data = update_display = _shown
HTML = Image = Audio = Markdown = Javascript = Video = SVG = Latex = IFrame = FileLink = FileLinks = Math = Pretty = JSON = DisplayObject
Code = Progress = GeoJSON = YouTubeVideo = VimeoVideo = ScribdDocument = TextDisplayObject = DisplayHandle = ProgressBar = DisplayObject


def display(*objects, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, clear=False, **options):
    return DisplayObject()
