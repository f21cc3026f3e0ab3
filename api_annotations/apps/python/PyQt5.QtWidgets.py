# `PyQt5.QtWidgets`: controls of desktop applications.
from PyQt5._controls import Control, slot
from streamlit._parts import Part

QApplication = QMainWindow = QWidget = QDialog = QLabel = QPushButton = QToolButton = QLineEdit = QTextEdit = Control
QPlainTextEdit = QComboBox = QCheckBox = QRadioButton = QSlider = QSpinBox = QDoubleSpinBox = QProgressBar = QVBoxLayout = Control
QHBoxLayout = QGridLayout = QFormLayout = QStackedLayout = QGroupBox = QFrame = QTabWidget = QTableWidget = Control
QTableWidgetItem = QListWidget = QListWidgetItem = QTreeWidget = QTreeWidgetItem = QTableView = QTreeView = QListView = Control
QMenu = QMenuBar = QAction = QToolBar = QStatusBar = QMessageBox = QFileDialog = QInputDialog = QColorDialog = Control
QFontDialog = QSplitter = QScrollArea = QStackedWidget = QSizePolicy = QSpacerItem = QGraphicsScene = QGraphicsView = Control
QGraphicsItem = QGraphicsPixmapItem = QGraphicsRectItem = QGraphicsEllipseItem = QGraphicsLineItem = QGraphicsTextItem = Control
QHeaderView = QAbstractItemView = QStyle = QStyleFactory = QCompleter = QDockWidget = QDialogButtonBox = QButtonGroup = Control
QActionGroup = QDateEdit = QTimeEdit = QDateTimeEdit = QCalendarWidget = QDial = QLCDNumber = QScrollBar = QShortcut = Control
QSystemTrayIcon = QTextBrowser = QToolTip = QWizard = QUndoStack = QDesktopWidget = QProgressDialog = Control
qApp = Part()
