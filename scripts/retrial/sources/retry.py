"""When a download is tried again, and how long is waited."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tenacity import RetryCallState, Retrying, retry_if_exception_type

_LOG = logging.getLogger(__name__)


class TransientError(Exception):
    """A fault that may pass: worth another attempt.

    `retry_after`: seconds that the server asked for, or None.
    """

    def __init__(self, what: str, retry_after: float | None = None) -> None:
        """Say what happened, and how long the server asks to wait."""
        super().__init__(what)
        self.retry_after = retry_after


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of a download; all times in seconds.

    `attempts` counts attempts in a row that brought no new bytes, so that a long download over a
    weak line may be resumed more often. Waits double from `first_wait` to `longest_wait`; a server
    that asks for more than `longest_retry_after` is given up at once. `lock_patience` is how long
    another process's download of the same file is waited for.
    """

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 60.0
    longest_retry_after: float = 300.0
    connect_timeout: float = 15.0
    read_timeout: float = 60.0
    lock_patience: float = 3600.0
    sleep: Callable[[float], None] = time.sleep

    def wait(self, fruitless: int, retry_after: float | None) -> float:
        """Seconds before the next attempt, after that many fruitless ones in a row."""
        doubled = self.first_wait * 2.0 ** min(max(fruitless - 1, 0), 60)
        return max(min(doubled, self.longest_wait), retry_after or 0.0)


def retrying(policy: RetryPolicy, label: str, fruitless: Callable[[], int]) -> Retrying:
    """A tenacity loop over transient faults; the last is raised again when it gives up."""

    def stop(_: RetryCallState) -> bool:
        return fruitless() >= policy.attempts

    def wait(state: RetryCallState) -> float:
        fault = _fault(state)
        return policy.wait(fruitless(), fault.retry_after if fault else None)

    def log(state: RetryCallState) -> None:
        pause = state.next_action.sleep if state.next_action else 0.0
        _LOG.warning("%s: %s; trying again in %.1f s", label, _fault(state), pause)

    return Retrying(
        retry=retry_if_exception_type(TransientError),
        stop=stop,
        wait=wait,
        before_sleep=log,
        sleep=policy.sleep,
        reraise=True,
    )


def seconds_from_header(value: str | None) -> float | None:
    """The seconds of a Retry-After header (a number or a date); None if absent or unreadable."""
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)


def _fault(state: RetryCallState) -> TransientError | None:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, TransientError) else None
