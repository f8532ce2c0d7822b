"""What an Amplify schema says, as values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["scalar", "enum", "nonmodel", "model"]
RelationKind = Literal["HAS_ONE", "HAS_MANY", "BELONGS_TO"]
Record = dict[str, Any]
Key = tuple[Any, ...]

SCALARS = (
    "ID", "String", "Int", "Float", "Boolean", "AWSDate", "AWSTime", "AWSDateTime",
    "AWSTimestamp", "AWSEmail", "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress",
)


@dataclass(frozen=True)
class TypeRef:
    """A type as a field writes it, such as `[String!]!`."""

    name: str
    is_list: bool = False
    required: bool = False
    element_required: bool = False

    def render(self, name: str | None = None, required: bool | None = None) -> str:
        text = name or self.name
        if self.is_list:
            text = f"[{text}{'!' if self.element_required else ''}]"
        must = self.required if required is None else required
        return text + ("!" if must else "")


@dataclass(frozen=True)
class AuthRule:
    """One rule of `@auth`."""

    allow: str
    provider: str
    operations: frozenset[str]
    owner_field: str = "owner"
    identity_claim: str = "sub::username"
    groups: tuple[str, ...] = ()
    groups_field: str | None = None
    group_claim: str = "cognito:groups"


@dataclass(frozen=True)
class Relation:
    """Where a relation's key lives.

    `keys` are fields of this model when it holds the key, else fields of `target`, in the order
    of the key fields they refer to.
    """

    kind: RelationKind
    target: str
    keys: tuple[str, ...]
    holds_key: bool
    limit: int = 100


@dataclass
class Field:
    name: str
    type: TypeRef
    kind: Kind
    read_only: bool = False
    hidden_input: bool = False
    # Added for a relation that does not name its key.
    derived: bool = False
    default: Any = None
    rules: tuple[AuthRule, ...] = ()
    relation: Relation | None = None


@dataclass(frozen=True)
class Index:
    """A secondary index; `fields` is its partition key, then its sort keys."""

    name: str
    fields: tuple[str, ...]
    query: str | None


@dataclass
class Operations:
    """The names of a model's generated operations; None where it is switched off."""

    get: str | None
    list: str | None
    sync: str | None
    create: str | None
    update: str | None
    delete: str | None
    on_create: str | None
    on_update: str | None
    on_delete: str | None


@dataclass
class Model:
    name: str
    plural: str
    fields: dict[str, Field]
    key: tuple[str, ...]
    custom_key: bool
    operations: Operations
    indexes: list[Index] = field(default_factory=list)
    rules: tuple[AuthRule, ...] = ()
    created_at: str | None = "createdAt"
    updated_at: str | None = "updatedAt"

    def key_of(self, values: Record) -> Key:
        return tuple(values.get(name) for name in self.key)

    def index_of(self, keys: tuple[str, ...]) -> Index | None:
        """Returns the index that a has-many with these keys is read by."""
        return next((each for each in self.indexes if each.fields[:len(keys)] == keys), None)

    def stored(self) -> list[Field]:
        """Returns the fields that a record holds: all but relations."""
        return [each for each in self.fields.values() if each.kind != "model"]


@dataclass
class AmplifySchema:
    models: dict[str, Model]
    enums: dict[str, list[str]]
    nonmodels: dict[str, dict[str, Field]]
