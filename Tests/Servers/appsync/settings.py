"""What the control endpoint can change while the server runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

MINUTE = 60_000


@dataclass
class Settings:
    """Every limit and period. Sizes are bytes, times milliseconds, unless named otherwise."""

    # How a stale write is answered: OPTIMISTIC_CONCURRENCY, AUTOMERGE, or what a Lambda would
    # decide: LAMBDA_REJECT, LAMBDA_RESOLVE (the new value wins).
    strategy: str = "AUTOMERGE"
    # Whether a ConflictUnhandled carries the server's item.
    conflict_data: bool = True
    delta_ttl_ms: int = 30 * MINUTE
    base_ttl_ms: int = 43_200 * MINUTE
    default_limit: int = 100
    max_limit: int = 1_000
    # DynamoDB ends a page at 1 MB of scanned items.
    page_bytes: int = 1_048_576
    request_bytes: int = 1_048_576
    # AppSync refuses a larger answer: MappingTemplate, "Transformation too large".
    response_bytes: int = 5_242_880
    latency_ms: float = 0
    # Whole answers of sync and list queries are kept while their table does not change.
    cache_pages: bool = False
    journal: bool = True
    # Real time.
    ka_interval_ms: int = 60_000
    connection_timeout_ms: int = 300_000
    max_subscriptions: int = 100
    event_bytes: int = 245_760
    max_filter_attributes: int = 10
    max_filter_combinations: int = 10
    # Authorization.
    clock_skew_ms: int = 5 * MINUTE
    api_key_expires_ms: int | None = None

    def change(self, values: dict[str, Any]) -> dict[str, Any]:
        """Changes the settings named, and returns all of them."""
        known = {each.name for each in fields(self)}
        unknown = sorted(set(values) - known)
        if unknown:
            raise ValueError(f"no such setting: {', '.join(unknown)}")
        for name, value in values.items():
            setattr(self, name, value)
        return asdict(self)
