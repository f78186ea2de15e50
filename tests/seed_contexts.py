"""Put the RO-Crate 1.1 context into the validator's cache, so that it needs no network.

Run by the validator's own Python: seed_contexts.py CACHE CONTEXT, where CONTEXT is the file
`ro-crate.jsonld` that the package rocrate 0.13.0 ships.
"""

import io
import sys
from pathlib import Path
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter
from requests_cache import CachedSession
from urllib3 import HTTPResponse

CONTEXT = "https://w3id.org/ro/crate/1.1/context"


class FromDisk(BaseAdapter):
    """Answers every request with one file."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data

    def send(self, request: PreparedRequest, **_: Any) -> Response:
        found = Response()
        found.status_code, found.url, found.request = 200, str(request.url), request
        found.headers["Content-Type"] = "application/ld+json"
        body = io.BytesIO(self.data)
        found.raw = HTTPResponse(body, dict(found.headers), 200, preload_content=False)
        return found

    def close(self) -> None:
        pass


def main(cache: str, context: str) -> None:
    session = CachedSession(cache_name=cache, expire_after=-1, backend="sqlite")
    session.mount("https://", FromDisk(Path(context).read_bytes()))
    known = session.get(CONTEXT).json()
    assert known["@id"] == CONTEXT, f"{context} is the context {known['@id']}"


if __name__ == "__main__":
    main(*sys.argv[1:])
