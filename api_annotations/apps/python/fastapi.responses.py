# `fastapi.responses`.
from streamlit._parts import Part

JSONResponse = HTMLResponse = FileResponse = StreamingResponse = RedirectResponse = PlainTextResponse = Response = ORJSONResponse = Part
