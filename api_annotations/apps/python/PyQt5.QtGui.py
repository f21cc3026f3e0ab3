# `PyQt5.QtGui`: controls of desktop applications.
from PyQt5._controls import Control, slot
from streamlit._parts import Part

QPixmap = QImage = QIcon = QPainter = QPen = QBrush = QColor = QFont = QFontMetrics = QPalette = QPolygon = QPolygonF = Control
QPainterPath = QTransform = QKeySequence = QCursor = QStandardItem = QStandardItemModel = QMouseEvent = QKeyEvent = Control
QPaintEvent = QResizeEvent = QCloseEvent = QWheelEvent = QDragEnterEvent = QDropEvent = QIntValidator = QDoubleValidator = Control
QRegExpValidator = QLinearGradient = QRadialGradient = QTextCursor = QTextDocument = QTextCharFormat = QSyntaxHighlighter = Control
QMovie = QGuiApplication = QDesktopServices = QAction = QShortcut = QFontDatabase = QImageReader = Control
