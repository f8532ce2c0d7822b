"""Who asks, and how they proved it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Identity:
    """An authorised caller. `mode` is the provider's name in `@auth`."""

    mode: str
    claims: dict[str, Any] = field(default_factory=dict)

    def claim(self, name: str) -> str | None:
        value = self.claims.get(name)
        if value is None and name == "username":
            value = self.claims.get("cognito:username")
        return value if isinstance(value, str) else None

    def owner_value(self, claim: str) -> str | None:
        """Returns what the server writes into an owner field; `sub::username` joins two."""
        parts = [self.claim(each) for each in claim.split("::")]
        known = [each for each in parts if each]
        return "::".join(known) if known else None

    def owner_values(self, claim: str) -> set[str]:
        """Returns each value of an owner field that makes this caller the owner."""
        parts = {value for each in claim.split("::") if (value := self.claim(each))}
        whole = self.owner_value(claim)
        return parts | ({whole} if whole else set())

    def groups(self, claim: str) -> set[str]:
        value = self.claims.get(claim) or ()
        return {value} if isinstance(value, str) else set(value)
