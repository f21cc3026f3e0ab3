# `PyQt5.QtCore`: controls of desktop applications.
from PyQt5._controls import Control, slot
from streamlit._parts import Part

QTimer = QThread = QObject = QSize = QSizeF = QPoint = QPointF = QRect = QRectF = QUrl = QMutex = QMutexLocker = Control
QThreadPool = QRunnable = QEvent = QSettings = QDateTime = QDate = QTime = QModelIndex = QAbstractTableModel = Control
QAbstractListModel = QSortFilterProxyModel = QItemSelectionModel = QPropertyAnimation = QEasingCurve = Control
QParallelAnimationGroup = QRegExp = QRegularExpression = QByteArray = QBuffer = QIODevice = QFile = QDir = QFileInfo = Control
QProcess = QEventLoop = QCoreApplication = QLocale = QTranslator = QWaitCondition = QSemaphore = QElapsedTimer = QLineF = Control
QLine = QMargins = QMetaObject = QVariant = QMimeData = QTextStream = QLibraryInfo = QSignalMapper = QStringListModel = Control
QStandardPaths = Control
Qt = Part()
pyqtSignal = Signal = pyqtProperty = Property = pyqtBoundSignal = Part
pyqtSlot = Slot = slot
