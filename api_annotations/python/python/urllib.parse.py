# `urllib.parse`: the parts of addresses, as texts.
import collections

_SCHEME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."
_WITH_PARAMETERS = ["", "ftp", "hdl", "prospero", "http", "imap", "https", "shttp", "rtsp", "rtspu", "sip", "sips", "mms", "sftp", "tel"]


class _Parts:
    def geturl(self):
        return urlunsplit(self)

    @property
    def username(self):
        return self._user()[0]

    @property
    def password(self):
        return self._user()[1]

    def _user(self):
        user, at, _ = self.netloc.rpartition("@")
        if not at:
            return None, None
        name, colon, password = user.partition(":")
        return name, password if colon else None

    def _host(self):
        host = self.netloc.rpartition("@")[2]
        if host.startswith("["):
            name, _, rest = host[1:].partition("]")
            return name, rest.partition(":")[2]
        name, _, port = host.partition(":")
        return name, port

    @property
    def hostname(self):
        return self._host()[0].lower() or None

    @property
    def port(self):
        port = self._host()[1]
        return int(port) if port else None


class SplitResult(_Parts, collections.namedtuple("SplitResult", ["scheme", "netloc", "path", "query", "fragment"])):
    pass


class ParseResult(_Parts, collections.namedtuple("ParseResult", ["scheme", "netloc", "path", "params", "query", "fragment"])):
    def geturl(self):
        return urlunparse(self)


def urlsplit(url, scheme="", allow_fragments=True):
    url = url.lstrip().replace("\n", "").replace("\r", "").replace("\t", "")
    scheme = scheme.strip()
    netloc = query = fragment = ""
    before, colon, behind = url.partition(":")
    if colon and before[:1].isalpha() and before[:1].isascii() and not before.strip(_SCHEME):
        scheme, url = before.lower(), behind
    if url.startswith("//"):
        url = url[2:]
        end = min([at for at in [url.find("/"), url.find("?"), url.find("#")] if at >= 0], default=len(url))
        netloc, url = url[:end], url[end:]
    if allow_fragments and "#" in url:
        url, _, fragment = url.partition("#")
    if "?" in url:
        url, _, query = url.partition("?")
    return SplitResult(scheme, netloc, url, query, fragment)


def urlparse(url, scheme="", allow_fragments=True):
    scheme, netloc, path, query, fragment = urlsplit(url, scheme, allow_fragments)
    params = ""
    if scheme in _WITH_PARAMETERS and ";" in path:
        folder, slash, last = path.rpartition("/")
        last, _, params = last.partition(";")
        path = folder + slash + last
    return ParseResult(scheme, netloc, path, params, query, fragment)


def urlunsplit(components):
    scheme, netloc, path, query, fragment = components
    if netloc or path[:2] == "//":
        if path and path[:1] != "/":
            path = "/" + path
        path = "//" + netloc + path
    if scheme:
        path = scheme + ":" + path
    if query:
        path = path + "?" + query
    if fragment:
        path = path + "#" + fragment
    return path


def urlunparse(components):
    scheme, netloc, path, params, query, fragment = components
    if params:
        path = path + ";" + params
    return urlunsplit((scheme, netloc, path, query, fragment))


def urldefrag(url):
    scheme, netloc, path, query, fragment = urlsplit(url)
    return urlunsplit((scheme, netloc, path, query, "")), fragment
