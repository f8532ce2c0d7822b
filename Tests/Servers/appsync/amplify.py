"""Reads an Amplify schema: SDL with `@model` and its companions."""

from __future__ import annotations

from typing import Any

from graphql import (
    EnumTypeDefinitionNode,
    FieldDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    TypeNode,
    parse,
)
from graphql.utilities import value_from_ast_untyped

from .model import AmplifySchema, AuthRule, Field, Index, Kind, Model, Operations, TypeRef
from .names import index_query, plural, upper_first
from .relations import add_join_models, add_owner_fields, as_names, resolve_relations

READ = ("get", "list", "sync", "listen", "search")
ALL_OPERATIONS = ("create", "update", "delete", *READ)
# Custom operations, which Lambdas answer: not served.
ROOTS = ("Query", "Mutation", "Subscription")
OLD = ("key", "connection", "versioned")
PROVIDER = {"owner": "userPools", "groups": "userPools", "private": "userPools",
            "public": "apiKey", "custom": "function"}


class SchemaError(ValueError):
    """The schema says something this server does not know."""


Definition = ObjectTypeDefinitionNode | FieldDefinitionNode


def directive(node: Definition, name: str) -> dict[str, Any] | None:
    """Returns the arguments of a directive, or None where the node lacks it."""
    found = directives(node, name)
    return found[0] if found else None


def directives(node: Definition, name: str) -> list[dict[str, Any]]:
    return [
        {arg.name.value: value_from_ast_untyped(arg.value) for arg in each.arguments or ()}
        for each in node.directives or ()
        if each.name.value == name
    ]


def type_ref(node: TypeNode) -> TypeRef:
    required = isinstance(node, NonNullTypeNode)
    inner = node.type if isinstance(node, NonNullTypeNode) else node
    if isinstance(inner, ListTypeNode):
        element = inner.type
        must = isinstance(element, NonNullTypeNode)
        named = element.type if isinstance(element, NonNullTypeNode) else element
        if not isinstance(named, NamedTypeNode):
            raise SchemaError("a list of lists is not supported by Amplify")
        return TypeRef(named.name.value, True, required, must)
    assert isinstance(inner, NamedTypeNode)
    return TypeRef(inner.name.value, False, required)


def auth_rules(node: Definition) -> tuple[AuthRule, ...]:
    found = directive(node, "auth")
    rules = []
    for rule in (found or {}).get("rules", ()):
        operations: set[str] = set()
        for name in as_names(rule.get("operations") or ALL_OPERATIONS):
            operations.update(READ if name == "read" else (name,))
        allow = rule["allow"]
        provider = rule.get("provider") or PROVIDER[allow]
        rules.append(AuthRule(
            allow=allow,
            provider="iam" if provider == "identityPool" else provider,
            operations=frozenset(operations),
            owner_field=rule.get("ownerField", "owner"),
            identity_claim=rule.get("identityClaim", "sub::username"),
            groups=as_names(rule.get("groups", ())),
            groups_field=rule.get("groupsField"),
            group_claim=rule.get("groupClaim", "cognito:groups"),
        ))
    return tuple(rules)


def operations_of(name: str, many: str, arguments: dict[str, Any]) -> Operations:
    def names(group: str, defaults: dict[str, str]) -> dict[str, str | None]:
        given = arguments.get(group, {})
        if given is None:
            return {key: None for key in defaults}
        if not given:
            return dict(defaults)
        if group == "subscriptions" and "level" in given:
            return {key: None if given["level"] == "off" else text
                    for key, text in defaults.items()}
        first = {key: value[0] if isinstance(value, list) else value
                 for key, value in given.items()}
        return {key: first.get(key) for key in defaults}

    queries = names("queries", {"get": f"get{name}", "list": f"list{many}"})
    writes = names("mutations", {verb: f"{verb}{name}" for verb in ("create", "update", "delete")})
    live = names("subscriptions", {f"on{upper_first(verb)}": f"on{upper_first(verb)}{name}"
                                   for verb in ("create", "update", "delete")})
    return Operations(
        get=queries["get"], list=queries["list"], sync=f"sync{many}",
        create=writes["create"], update=writes["update"], delete=writes["delete"],
        on_create=live["onCreate"], on_update=live["onUpdate"], on_delete=live["onDelete"],
    )


def read_field(node: FieldDefinitionNode, kinds: dict[str, Kind]) -> Field:
    ref = type_ref(node.type)
    default = directive(node, "default")
    return Field(
        name=node.name.value,
        type=ref,
        kind=kinds.get(ref.name, "scalar"),
        default=None if default is None else default.get("value"),
        rules=auth_rules(node),
    )


def read_model(node: ObjectTypeDefinitionNode, kinds: dict[str, Kind]) -> Model:
    name = upper_first(node.name.value)
    many = plural(name)
    arguments = directive(node, "model") or {}
    fields = {each.name.value: read_field(each, kinds) for each in node.fields or ()}
    key: tuple[str, ...] = ("id",)
    custom = False
    indexes = []
    for each in node.fields or ():
        own = directive(each, "primaryKey")
        if own is not None:
            key = (each.name.value, *as_names(own.get("sortKeyFields", ())))
            custom = True
        for found in directives(each, "index"):
            parts = (each.name.value, *as_names(found.get("sortKeyFields", ())))
            query = found.get("queryField", index_query(many, parts))
            index_name = found.get("name") or f"{many.lower()}By{upper_first(parts[0])}"
            indexes.append(Index(index_name, parts, query))
    if not custom and "id" not in fields:
        fields = {"id": Field("id", TypeRef("ID", required=True), "scalar")} | fields
    model = Model(name, many, fields, key, custom, operations_of(name, many, arguments),
                  indexes, auth_rules(node))
    add_timestamps(model, arguments)
    add_owner_fields(model)
    return model


def add_timestamps(model: Model, arguments: dict[str, Any]) -> None:
    names: dict[str, str | None] = {"createdAt": "createdAt", "updatedAt": "updatedAt"}
    if "timestamps" in arguments:
        given = arguments["timestamps"]
        names = dict.fromkeys(names) if given is None else names | given
    model.created_at, model.updated_at = names["createdAt"], names["updatedAt"]
    for name in (model.created_at, model.updated_at):
        if name and name not in model.fields:
            model.fields[name] = Field(
                name, TypeRef("AWSDateTime", required=True), "scalar", read_only=True)


def read_schema(text: str, key_attributes: bool = True) -> AmplifySchema:
    """Reads an Amplify schema.

    `key_attributes` is the flag `respectPrimaryKeyAttributesOnConnectionField`: with it a join
    model has `postId`, without it `postID`.
    """
    document = parse(text)
    objects = [each for each in document.definitions
               if isinstance(each, ObjectTypeDefinitionNode) and each.name.value not in ROOTS]
    for each in objects:
        nodes: list[Definition] = [each, *(each.fields or ())]
        for node in nodes:
            for name in OLD:
                if directive(node, name) is not None:
                    raise SchemaError(f"{each.name.value} has @{name}, of Amplify's first "
                                      "transformer: write @primaryKey, @index or a relation")
    enums = {
        each.name.value: [value.name.value for value in each.values or ()]
        for each in document.definitions if isinstance(each, EnumTypeDefinitionNode)
    }
    kinds: dict[str, Kind] = {name: "enum" for name in enums}
    for each in objects:
        kinds[each.name.value] = "nonmodel" if directive(each, "model") is None else "model"
    models = {}
    for each in objects:
        if kinds[each.name.value] == "model":
            model = read_model(each, kinds)
            models[model.name] = model
    nonmodels = {
        each.name.value: {one.name.value: read_field(one, kinds) for one in each.fields or ()}
        for each in objects if kinds[each.name.value] == "nonmodel"
    }
    schema = AmplifySchema(models, enums, nonmodels)
    marks = {
        (each.name.value, one.name.value): {
            mark: found for mark in ("hasMany", "hasOne", "belongsTo", "manyToMany")
            if (found := directive(one, mark)) is not None
        }
        for each in objects for one in each.fields or ()
    }
    marks = {place: found for place, found in marks.items() if found}
    add_join_models(schema, marks, key_attributes)
    resolve_relations(schema, marks)
    return schema
