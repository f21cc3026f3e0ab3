# Settings of `pydantic`: variables of the environment are taken to be unset.
from pydantic import BaseSettings


class BaseSettings(BaseSettings):
    pass
