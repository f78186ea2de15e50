"""One request to an OpenAI-compatible server, with patience and without leaking the key."""

import os
from collections.abc import Mapping
from typing import Any

import httpx

from retrial.errors import RetrialError
from retrial.sources.retry import RetryPolicy, TransientError, retrying, seconds_from_header

SHOWN = 300
"""Characters of a server's message that an error repeats."""

BUSY = (408, 409, 425, 429)
"""Refusals that may pass, beside every 5xx."""


class ContextError(Exception):
    """The server says that the prompt does not fit its context."""


class Client:
    """Posts JSON to a server; waits and tries again where a fault may pass."""

    def __init__(
        self,
        url: str,
        key_variable: str | None = None,
        *,
        timeout: float = 120.0,
        policy: RetryPolicy | None = None,
    ) -> None:
        """`key_variable` names the environment variable with the key; it is read here.

        Raises RetrialError when that variable is not set.
        """
        self.url = url.rstrip("/")
        self.policy = policy or RetryPolicy()
        self._key_variable = key_variable
        self._key = _key(key_variable)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._http = httpx.Client(headers=headers, timeout=timeout)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The server's answer to one request.

        Raises RetrialError when the server refuses it or stays unreachable, and ContextError
        for a prompt that is too long for it.
        """
        tried = 0

        def attempts() -> int:
            return tried

        try:
            for attempt in retrying(self.policy, f"{self.url}/{path}", attempts):
                with attempt:
                    tried += 1
                    return self._once(path, body)
        except TransientError as error:
            raise RetrialError(
                f"{self.url}/{path}: gave up after {tried} attempts: {error}. Answers so far are "
                "kept; run the same command again"
            ) from error
        raise AssertionError("tenacity returns or raises")

    def _once(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        try:
            response = self._http.post(f"{self.url}/{path}", json=dict(body))
        except httpx.TimeoutException as error:
            raise TransientError("no answer in time") from error
        except httpx.TransportError as error:
            raise TransientError(f"not reachable ({error})") from error
        if response.status_code in BUSY or response.status_code >= 500:
            wait = seconds_from_header(response.headers.get("retry-after"))
            if wait is not None and wait > self.policy.longest_retry_after:
                raise RetrialError(
                    f"{self.url}: the server asks to wait {wait:.0f} s; run again after that"
                )
            raise TransientError(self._told(response), wait)
        if response.status_code >= 400:
            self._refuse(path, response)
        try:
            found: dict[str, Any] = response.json()
        except ValueError as error:
            raise TransientError("the answer is no JSON") from error
        return found

    def _refuse(self, path: str, response: httpx.Response) -> None:
        told = self._told(response)
        if response.status_code in (400, 413) and "context" in told.lower():
            raise ContextError(told)
        advice = ""
        if response.status_code in (401, 403):
            named = f"the key in ${self._key_variable}" if self._key else "a missing key"
            advice = f"; the server refuses {named} (judges.<id>.key_variable names its variable)"
        if response.status_code == 404:
            advice = "; check the judge's `url` (it ends with /v1 for most servers) and `model`"
        raise RetrialError(f"{self.url}/{path}: {told}{advice}")

    def _told(self, response: httpx.Response) -> str:
        """Status and message, cut short, with the key blotted out should a server repeat it."""
        text = " ".join(response.text.split())[:SHOWN]
        if self._key:
            text = text.replace(self._key, "[key]")
        return f"HTTP {response.status_code} {text}".rstrip()


def _key(variable: str | None) -> str | None:
    if variable is None:
        return None
    found = os.environ.get(variable, "").strip()
    if not found:
        raise RetrialError(
            f"the judge's key is expected in the environment variable {variable}, which is not set"
        )
    return found
