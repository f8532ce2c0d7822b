"""Relations of an Amplify schema: which model holds which key."""

from __future__ import annotations

from typing import Any

from .model import AmplifySchema, Field, Index, Model, Operations, Relation, TypeRef
from .names import foreign_key, index_query, lower_first, plural, upper_first

Marks = dict[tuple[str, str], dict[str, dict[str, Any]]]


def add_join_models(schema: AmplifySchema, marks: Marks, key_attributes: bool) -> None:
    """Adds the join model of each `@manyToMany`, and turns its two uses into has-many."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    for place, found in marks.items():
        if "manyToMany" in found:
            name = upper_first(found["manyToMany"]["relationName"])
            pairs.setdefault(name, []).append(place)
    for name, places in pairs.items():
        if len(places) != 2:
            raise ValueError(f"the relation {name} has {len(places)} sides, not 2")
        join = join_model(schema, name, [place[0] for place in places], key_attributes)
        schema.models[name] = join
        for (owner, field_name), index in zip(places, join.indexes, strict=True):
            found = marks[(owner, field_name)]
            limit = found.pop("manyToMany").get("limit", 100)
            found["hasMany"] = {"indexName": index.name, "fields": list(schema.models[owner].key),
                                "limit": limit}
            field = schema.models[owner].fields[field_name]
            field.type = TypeRef(name, is_list=True)


def join_model(schema: AmplifySchema, name: str, sides: list[str], attributes: bool) -> Model:
    many = plural(name)
    fields = {"id": Field("id", TypeRef("ID", required=True), "scalar")}
    indexes = []
    for side in sides:
        target = schema.models[side]
        keys = []
        for part in target.key:
            suffix = part if attributes else part.upper() if part == "id" else part
            key = lower_first(side) + upper_first(suffix)
            fields[key] = Field(key, target.fields[part].type, "scalar")
            keys.append(key)
        indexes.append(Index(f"by{side}", tuple(keys), index_query(many, tuple(keys))))
    for side, index in zip(sides, indexes, strict=True):
        name_of_side = lower_first(side)
        relation = Relation("BELONGS_TO", side, index.fields, True)
        fields[name_of_side] = Field(
            name_of_side, TypeRef(side, required=True), "model", relation=relation)
    for stamp in ("createdAt", "updatedAt"):
        fields[stamp] = Field(stamp, TypeRef("AWSDateTime", required=True), "scalar", True)
    verbs = {verb: f"{verb}{name}" for verb in ("create", "update", "delete")}
    operations = Operations(
        f"get{name}", f"list{many}", f"sync{many}", verbs["create"], verbs["update"],
        verbs["delete"], f"onCreate{name}", f"onUpdate{name}", f"onDelete{name}")
    # Who may use either side may use the relation.
    rules = tuple(dict.fromkeys(rule for side in sides for rule in schema.models[side].rules))
    model = Model(name, many, fields, ("id",), False, operations, indexes, rules)
    add_owner_fields(model)
    return model


def add_owner_fields(model: Model) -> None:
    """Adds the fields that owner rules write to, where the schema does not declare them."""
    for rule in model.rules:
        if rule.allow == "owner" and rule.owner_field not in model.fields:
            model.fields[rule.owner_field] = Field(
                rule.owner_field, TypeRef("String"), "scalar", hidden_input=True)


def resolve_relations(schema: AmplifySchema, marks: Marks) -> None:
    """Gives each relation field its keys; the owning side first, for belongs-to follows it."""
    for kind in ("hasMany", "hasOne", "belongsTo"):
        for (owner, name), found in marks.items():
            if kind not in found:
                continue
            model = schema.models[owner]
            field = model.fields[name]
            target = schema.models[field.type.name]
            arguments = found[kind]
            if kind == "hasMany":
                field.relation = has_many(model, field, target, arguments)
            elif kind == "hasOne":
                field.relation = has_one(model, field, target, arguments)
            else:
                field.relation = belongs_to(model, field, target, arguments)


def add_key(model: Model, name: str, ref: TypeRef) -> None:
    if name not in model.fields:
        model.fields[name] = Field(name, TypeRef(ref.name), "scalar", derived=True)


def has_many(model: Model, field: Field, target: Model, arguments: dict[str, Any]) -> Relation:
    limit = arguments.get("limit", 100)
    if "references" in arguments:
        keys = as_names(arguments["references"])
    elif "indexName" in arguments:
        name = arguments["indexName"]
        keys = next(index.fields for index in target.indexes if index.name == name)
        keys = keys[: len(as_names(arguments.get("fields", model.key)))]
    else:
        keys = ()
        for part in model.key:
            key = foreign_key(model.name, field.name, part)
            add_key(target, key, model.fields[part].type)
            keys = (*keys, key)
    return Relation("HAS_MANY", target.name, keys, False, limit)


def has_one(model: Model, field: Field, target: Model, arguments: dict[str, Any]) -> Relation:
    if "references" in arguments:
        return Relation("HAS_ONE", target.name, as_names(arguments["references"]), False)
    return Relation("HAS_ONE", target.name, own_keys(model, field, target, arguments), True)


def belongs_to(model: Model, field: Field, target: Model, arguments: dict[str, Any]) -> Relation:
    if "references" in arguments:
        return Relation("BELONGS_TO", target.name, as_names(arguments["references"]), True)
    if "fields" not in arguments:
        # The other side's has-many already put the key here: it is shared.
        for other in target.fields.values():
            back = other.relation
            if back and back.target == model.name and back.kind == "HAS_MANY":
                return Relation("BELONGS_TO", target.name, back.keys, True)
    return Relation("BELONGS_TO", target.name, own_keys(model, field, target, arguments), True)


def own_keys(model: Model, field: Field, target: Model,
             arguments: dict[str, Any]) -> tuple[str, ...]:
    if "fields" in arguments:
        return as_names(arguments["fields"])
    keys: tuple[str, ...] = ()
    for part in target.key:
        key = foreign_key(model.name, field.name, part)
        add_key(model, key, target.fields[part].type)
        keys = (*keys, key)
    return keys


def as_names(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
