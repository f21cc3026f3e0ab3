# `ipywidgets`: controls in notebooks. Functions that they call are looked at as functions that nobody calls.
import harp_library as _harp


class Widget:
    def __init__(self, *arguments, **options):
        self.value = _harp.outside("what a user chooses")

    def __getattr__(self, name):
        return _known


def _known(*arguments, **options):
    return _harp.outside("what a notebook shows")


def _decorated(function=None, *arguments, **options):
    return function


interact = interact_manual = interactive = interactive_output = fixed = _known
IntSlider = FloatSlider = Dropdown = Button = Text = Textarea = Checkbox = ToggleButton = Select = SelectMultiple = Output = HBox = VBox = Widget
Label = HTML = Image = IntText = FloatText = BoundedIntText = BoundedFloatText = IntRangeSlider = FloatRangeSlider = RadioButtons = Widget
Tab = Accordion = Layout = Box = GridBox = FileUpload = IntProgress = FloatProgress = Play = ColorPicker = DatePicker = ToggleButtons = Widget
FloatLogSlider = SelectionSlider = Valid = HTMLMath = jslink = link = Widget
