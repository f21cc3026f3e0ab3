# `loguru`: what is logged.
from streamlit._parts import Part as _Part, decorating as _decorating


class _Logger(_Part):
    def catch(self, *arguments, **options):
        return _decorating(*arguments, **options)


logger = _Logger()
