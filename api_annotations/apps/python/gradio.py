# `gradio`: pages around functions.
from streamlit._parts import Part as _Part, asked as _asked, nothing as _nothing

Interface = Blocks = ChatInterface = TabbedInterface = Row = Column = Tab = TabItem = Tabs = Accordion = Group = Image = Textbox = Text = Number = _Part
Slider = Button = Dropdown = Radio = Checkbox = CheckboxGroup = Label = Audio = Video = File = Gallery = Chatbot = State = Markdown = HTML = _Part
JSON = Plot = Dataframe = DataFrame = Examples = Progress = ClearButton = UploadButton = DownloadButton = HighlightedText = Code = Model3D = _Part
ColorPicker = AnnotatedImage = ImageEditor = Sketchpad = Timer = LinePlot = BarPlot = ScatterPlot = SelectData = EventData = Request = Theme = _Part
Box = Variable = MultimodalTextbox = DuplicateButton = LoginButton = Series = Parallel = Files = Textarea = _Part
inputs = outputs = themes = components = interface = processing_utils = _Part()
update = load = _asked
Info = Warning = close_all = set_static_paths = mount_gradio_app = _nothing


class Error(Exception):
    pass
