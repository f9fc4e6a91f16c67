"""Who may ask what: hosts, sites, sizes and the token, and what every answer says to browsers.

The page is served on loopback. Any web site that somebody visits could send requests there, under
a name of its own (by pointing it to 127.0.0.1) or across sites; so the name in ``Host`` must be
one of ours, and requests that browsers mark as coming from other sites are refused. Beyond
loopback a token is needed, once in the address and then as a cookie.
"""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

#: Longest query and longest body, in bytes; paths of nodes have a few hundred.
MAX_QUERY_BYTES = 2000
MAX_BODY_BYTES = 4000

TOKEN_COOKIE = "runout_token"
#: Scripts of other sites cannot send this header without asking first, and nobody answers that.
OWN_HEADER = "X-Runout"

_SAFE_METHODS = ("GET", "HEAD")
_OWN_SITES = ("same-origin", "none")
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}

Next = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Guard:
    """What requests must look like.

    Attributes:
        hosts: names and addresses, without port, under which the server is asked for; none for
            any, which only goes with a token.
        token: what a client must know; empty on loopback.
    """

    hosts: frozenset[str]
    token: str = ""

    async def __call__(self, request: Request, call_next: Next) -> Response:
        """Refuses a request, or lets it through and adds headers to the answer."""
        refusal = self._refuse(request)
        response = refusal if refusal is not None else await call_next(request)
        for name, value in _HEADERS.items():
            response.headers[name] = value
        return response

    def _refuse(self, request: Request) -> Response | None:
        if len(request.scope.get("query_string", b"")) > MAX_QUERY_BYTES:
            return _refused(414, "address", f"is longer than {MAX_QUERY_BYTES} characters")
        if self.hosts and _host_name(request.headers.get("host", "")) not in self.hosts:
            return _refused(403, "Host", "is not a name of this server")
        if not self._is_own_site(request):
            return _refused(403, "request", "comes from another site")
        if request.method not in _SAFE_METHODS and OWN_HEADER not in request.headers:
            return _refused(403, "request", f"has no header {OWN_HEADER}")
        if _body_length(request) > MAX_BODY_BYTES:
            return _refused(413, "request", f"has more than {MAX_BODY_BYTES} bytes")
        return self._ask_for_token(request) if self.token else None

    def _is_own_site(self, request: Request) -> bool:
        """Whether a browser says that the request comes from our page, or from the user."""
        site = request.headers.get("sec-fetch-site")
        # A link on another site may open the page itself; what the page shows stays ours.
        is_navigation = request.headers.get("sec-fetch-mode") == "navigate"
        is_page = is_navigation and request.method == "GET" and not _is_api(request)
        if site is not None and site not in _OWN_SITES and not is_page:
            return False
        origin = request.headers.get("origin")
        return origin is None or urlsplit(origin).netloc == request.headers.get("host")

    def _ask_for_token(self, request: Request) -> Response | None:
        given = request.query_params.get("token")
        if given is not None and hmac.compare_digest(given.encode(), self.token.encode()):
            rest = [pair for pair in parse_qsl(request.url.query) if pair[0] != "token"]
            target = request.url.path + (f"?{urlencode(rest)}" if rest else "")
            response = RedirectResponse("/" + target.lstrip("/"), status_code=303)
            response.set_cookie(TOKEN_COOKIE, self.token, httponly=True, samesite="strict")
            return response
        cookie = request.cookies.get(TOKEN_COOKIE, "")
        if hmac.compare_digest(cookie.encode(), self.token.encode()):
            return None
        return _refused(401, "token", "is missing, open the address that `runout explore` printed")


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


def _host_name(host: str) -> str:
    """Returns a host without its port, in lower case."""
    if host.startswith("["):
        return host.partition("]")[0].lstrip("[").lower()
    return host.partition(":")[0].lower()


def _body_length(request: Request) -> int:
    """Returns how long a body says it is; one that does not say so is too long."""
    length = request.headers.get("content-length")
    if length is None:
        return MAX_BODY_BYTES + 1 if "transfer-encoding" in request.headers else 0
    return int(length) if length.isascii() and length.isdigit() else MAX_BODY_BYTES + 1


def _refused(status: int, where: str, problem: str) -> Response:
    return JSONResponse({"where": where, "problem": problem}, status)
