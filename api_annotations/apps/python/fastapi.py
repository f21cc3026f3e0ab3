# `fastapi`: functions that answer requests.
import harp_library as _harp
from streamlit._parts import Part as _Part, Routes, asked as _asked, nothing as _nothing


class FastAPI(Routes):
    pass


class APIRouter(Routes):
    pass


File = Form = Query = Path = Body = Header = Cookie = Depends = Security = _asked
Request = Response = UploadFile = BackgroundTasks = WebSocket = _Part
status = _Part()


class HTTPException(Exception):
    def __init__(self, status_code=500, detail=None, headers=None):
        self.status_code, self.detail = status_code, detail


class WebSocketDisconnect(Exception):
    pass
