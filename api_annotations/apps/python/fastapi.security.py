# `fastapi.security`.
from streamlit._parts import Part

OAuth2PasswordBearer = OAuth2PasswordRequestForm = HTTPBearer = HTTPBasic = APIKeyHeader = HTTPAuthorizationCredentials = Part
HTTPBasicCredentials = Part
