"""What `@auth` rules allow."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import not_authorized
from .identity import Identity
from .model import AuthRule, Model, Record


@dataclass(frozen=True)
class Access:
    """What a caller may do: everything (`whole`), or the items that a rule of `item` grants."""

    whole: bool
    item: tuple[AuthRule, ...] = ()

    @property
    def none(self) -> bool:
        return not self.whole and not self.item

    def grants(self, identity: Identity, record: Record) -> bool:
        return self.whole or any(rule_grants(rule, identity, record) for rule in self.item)


WHOLE = Access(True)


def rule_grants(rule: AuthRule, identity: Identity, record: Record) -> bool:
    if rule.allow == "owner":
        held = record.get(rule.owner_field)
        owners = set(held) if isinstance(held, list) else {held}
        return bool(owners & identity.owner_values(rule.identity_claim))
    held = record.get(rule.groups_field or "")
    named = set(held) if isinstance(held, list) else {held}
    return bool(named & identity.groups(rule.group_claim))


def access(rules: tuple[AuthRule, ...], identity: Identity, operation: str) -> Access:
    """Returns what a model's rules, or a field's, allow; without rules any caller may."""
    if not rules:
        return WHOLE
    item = []
    for rule in rules:
        if operation not in rule.operations or rule.provider != identity.mode:
            continue
        if rule.allow == "owner" or rule.groups_field:
            item.append(rule)
        elif rule.allow != "groups" or identity.groups(rule.group_claim) & set(rule.groups):
            return WHOLE
    return Access(False, tuple(item))


def mode_allowed(model: Model, identity: Identity) -> bool:
    """Says whether the caller's kind of authorization appears in the model's rules at all."""
    return not model.rules or any(rule.provider == identity.mode for rule in model.rules)


def claim_ownership(found: Access, identity: Identity, values: Record, field: str) -> Record:
    """Returns a create's values with the owner filled in, or refuses another's name."""
    if found.whole:
        return values
    for rule in found.item:
        if rule.allow != "owner":
            continue
        if values.get(rule.owner_field) is None:
            owner = identity.owner_value(rule.identity_claim)
            if owner is not None:
                return values | {rule.owner_field: owner}
        elif rule_grants(rule, identity, values):
            return values
    if found.grants(identity, values):
        return values
    raise not_authorized(field, "Mutation")
