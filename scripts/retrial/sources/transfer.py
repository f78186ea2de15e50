"""One file over HTTP: streamed, resumed, retried, never more bytes than expected."""

import re
from collections.abc import Callable

import httpx

from retrial.sources.catalogue import is_loopback
from retrial.sources.expectation import Expectation, FetchError, describe, is_page
from retrial.sources.part import PartFile
from retrial.sources.retry import RetryPolicy, TransientError, retrying, seconds_from_header

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes expected (None: not known)."""

_RANGE = re.compile(r"^bytes (\d+)-\d+/(\d+|\*)$")


class Transfer:
    """The download of one file into its part file.

    `resumed` tells whether bytes from before a break were kept: they may be of another version of
    the file, which only the digest shows.
    """

    def __init__(
        self,
        want: Expectation,
        part: PartFile,
        policy: RetryPolicy,
        on_progress: Progress | None,
    ) -> None:
        """Nothing is read before `run`."""
        self.resumed = False
        self._want = want
        self._part = part
        self._policy = policy
        self._on_progress = on_progress
        self._use_ranges = True
        self._most = 0
        self._fruitless = 0

    def run(self) -> None:
        """Fill the part file; FetchError when the server refuses or every attempt has failed."""
        if self._use_left_over():
            return
        try:
            with _client(self._want, self._policy) as client:
                policy = retrying(self._policy, self._want.label, lambda: self._fruitless)
                policy(self._attempt, client)
        except TransientError as fault:
            tries = f"{self._policy.attempts} attempts without new bytes"
            raise self._fault(f"{fault} ({tries})") from fault
        except (httpx.TooManyRedirects, httpx.DecodingError, httpx.InvalidURL) as error:
            raise self._fault(f"the server's answer can't be used: {_name(error)}") from error

    def _use_left_over(self) -> bool:
        """Keep what a killed process left if it can be checked; True if that is all there is."""
        size = self._part.size()
        if size > self._want.limit or not self._resumable():
            self._part.clear()
            return False
        self._most = size
        self.resumed = size > 0 and size == self._want.size
        return self.resumed

    def _resumable(self) -> bool:
        """Without a digest to expect, only an ETag can tell that two halves belong together."""
        return self._want.sha256 is not None or self._part.etag is not None

    def _attempt(self, client: httpx.Client) -> None:
        if not (self._use_ranges and self._resumable()):
            self._part.clear()
        offset = self._part.size()
        headers = {"Range": f"bytes={offset}-"} if offset else {}
        if offset and self._part.etag is not None:
            headers["If-Range"] = self._part.etag
        try:
            with client.stream("GET", self._want.address, headers=headers) as response:
                self._accept(response, offset)
                self._read(response)
        except httpx.TransportError as error:
            self._count()
            raise TransientError(f"the connection failed: {_name(error)}") from error
        except TransientError:
            self._count()
            raise

    def _count(self) -> None:
        size = self._part.size()
        self._fruitless = 1 if size > self._most else self._fruitless + 1
        self._most = max(self._most, size)

    def _accept(self, response: httpx.Response, offset: int) -> None:
        """Decide from status and headers whether the body is wanted, and where it goes."""
        status = f"{response.status_code} {response.reason_phrase}".strip()
        if response.status_code == 429 or response.status_code >= 500:
            pause = seconds_from_header(response.headers.get("Retry-After"))
            if pause is not None and pause > self._policy.longest_retry_after:
                raise self._fault(f"the server answered {status} and asks to wait {pause:.0f} s")
            raise TransientError(f"the server answered {status}", pause)
        if offset and response.status_code in (206, 416):
            if response.status_code == 206 and self._continues(response, offset):
                self.resumed = True
                return
            self._use_ranges = False
            raise TransientError(
                "the server can't continue this download; it starts again from zero"
            )
        if response.status_code != 200:
            raise self._fault(f"the server answered {status}")
        self._part.clear()
        self._part.etag = response.headers.get("ETag")
        self.resumed = False

    def _continues(self, response: httpx.Response, offset: int) -> bool:
        match = _RANGE.match(response.headers.get("Content-Range", ""))
        if match is None or "Content-Encoding" in response.headers:
            return False
        total = match[2]
        same_total = self._want.size is None or total in ("*", str(self._want.size))
        return int(match[1]) == offset and same_total

    def _read(self, response: httpx.Response) -> None:
        want, done = self._want, self._part.size()
        total = want.size
        if total is None and response.headers.get("Content-Length", "").isdigit():
            total = done + int(response.headers["Content-Length"])
        for chunk in response.iter_bytes():
            done += len(chunk)
            if done > want.limit:
                raise self._fault(
                    "the server sends more than the file can hold",
                    f"more than {want.limit} bytes, download stopped",
                )
            self._part.append(chunk)
            if self._on_progress is not None:
                self._on_progress(done, total)
        self._part.flush()
        if self._cut_short(response):
            raise TransientError("the body ended early")

    def _cut_short(self, response: httpx.Response) -> bool:
        """Whether the body is short, where its end was only marked by the closed connection."""
        marked = "Content-Length" in response.headers or "Transfer-Encoding" in response.headers
        if marked or self._want.size is None or self._part.size() == self._want.size:
            return False
        return not is_page(self._part.path)

    def _fault(self, what: str, actual: str | None = None) -> FetchError:
        if actual is None:
            size = self._part.size()
            actual = f"{describe(self._part.path)} received" if size else "nothing received"
        return self._want.fault(what, actual)


def _client(want: Expectation, policy: RetryPolicy) -> httpx.Client:
    """A client that follows redirects to https only (a loopback start may stay on loopback)."""
    started_on_loopback = is_loopback(httpx.URL(want.address).host)

    def refuse_plain(request: httpx.Request) -> None:
        url = request.url
        if url.scheme == "https" or (started_on_loopback and is_loopback(url.host)):
            return
        where = f"{url.scheme}://{url.host}"
        raise want.fault(f"the server redirects to {where}, not to https", "nothing received")

    return httpx.Client(
        headers={"Accept-Encoding": "identity", "User-Agent": "retrial"},
        timeout=httpx.Timeout(policy.read_timeout, connect=policy.connect_timeout),
        follow_redirects=True,
        max_redirects=5,
        event_hooks={"request": [refuse_plain]},
    )


def _name(error: Exception) -> str:
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
