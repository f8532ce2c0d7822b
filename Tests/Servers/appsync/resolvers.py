"""Ties the generated schema's fields to the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphql import GraphQLObjectType, GraphQLResolveInfo, GraphQLSchema

from .access import Access, access, claim_ownership, mode_allowed
from .context import Change, Context, Verb
from .errors import AppSyncError, not_authorized
from .model import AmplifySchema, AuthRule, Field, Model, Record, Relation
from .reads import EMPTY, Reader
from .selection import project
from .writes import Writer

Resolver = Callable[..., Any]
Info = GraphQLResolveInfo[Context]


def default_resolver(source: Any, info: Info, **_: Any) -> Any:
    return source.get(info.field_name) if source else None


def subscribed(source: Any, info: Info, **arguments: Any) -> Any:
    context = info.context
    context.arguments = arguments
    return default_resolver(source, info)


def stored(resolver: Resolver) -> Resolver:
    """Keeps a resolver for records; the payload of an event holds all that is to be had."""
    def resolve(source: Any, info: Info, **arguments: Any) -> Any:
        context = info.context
        return (default_resolver if context.event else resolver)(source, info, **arguments)

    return resolve


class Resolvers:
    """Makes a resolver for each operation, relation and guarded field of a schema."""

    def __init__(self, amplify: AmplifySchema, reader: Reader, writer: Writer) -> None:
        self.amplify = amplify
        self.reader = reader
        self.writer = writer

    def install(self, schema: GraphQLSchema) -> None:
        for model in self.amplify.models.values():
            names = model.operations
            put(schema, "Query", names.get, self.get(model))
            put(schema, "Query", names.list, self.pages(model, "list", self.reader.listing))
            put(schema, "Query", names.sync, self.pages(model, "sync", self.reader.sync))
            for index in model.indexes:
                put(schema, "Query", index.query, self.index(model, index.fields))
            put(schema, "Mutation", names.create, self.write(model, "create"))
            put(schema, "Mutation", names.update, self.write(model, "update"))
            put(schema, "Mutation", names.delete, self.write(model, "delete"))
            for name in (names.on_create, names.on_update, names.on_delete):
                put(schema, "Subscription", name, subscribed)
            for field in model.fields.values():
                if field.relation:
                    put(schema, model.name, field.name, stored(self.relation(field.relation)))
                elif field.rules:
                    put(schema, model.name, field.name, stored(guarded(field)))

    def get(self, model: Model) -> Resolver:
        def resolve(_: Any, info: Info, **arguments: Any) -> Any:
            context = info.context
            found = check(model, "get", info)
            context.meet(False)
            record = self.reader.get(model, model.key_of(arguments))
            if record is not None and not found.grants(context.identity, record):
                raise not_authorized(info.field_name, model.name)
            return record

        return resolve

    def pages(self, model: Model, operation: str, read: Callable[..., Any]) -> Resolver:
        def resolve(_: Any, info: Info, **arguments: Any) -> Any:
            context = info.context
            found = check(model, operation, info)
            context.meet(False)
            if context.ignore_last_sync:
                arguments.pop("lastSync", None)
            return read(info.field_name, model, arguments | {EMPTY: context.empty_page},
                        lambda record: found.grants(context.identity, record))

        return resolve

    def index(self, model: Model, fields: tuple[str, ...]) -> Resolver:
        def read(field: str, model: Model, arguments: dict[str, Any], visible: Any) -> Any:
            return self.reader.query(field, model, fields, (arguments[fields[0]],),
                                     arguments, visible)

        return self.pages(model, "list", read)

    def write(self, model: Model, verb: Verb) -> Resolver:
        apply = getattr(self.writer, verb)

        def resolve(_: Any, info: Info, **arguments: Any) -> Any:
            context = info.context
            found = check(model, verb, info)
            values: Record = dict(arguments["input"])
            existing = self.writer.store[model.name].get(model.key_of(values))
            context.meet(False, lambda: picked(existing, info))
            if verb == "create":
                values = claim_ownership(found, context.identity, values, info.field_name)
            elif not found.whole and not (
                    existing and found.grants(context.identity, existing)):
                raise not_authorized(info.field_name, "Mutation")
            self.check_fields(model, values, context, info)
            try:
                record: Record = apply(model, values, arguments.get("condition"))
            except AppSyncError as error:
                error.data = picked(error.data, info)
                raise
            context.changes.append(Change(
                model, verb, record, str(info.path.key), tuple(info.field_nodes)))
            context.meet(True, lambda: picked(record, info))
            return record

        return resolve

    def check_fields(self, model: Model, values: Record, context: Context,
                     info: Info) -> None:
        verb = "create" if info.field_name.startswith("create") else "update"
        for name in values:
            field = model.fields.get(name)
            if field and field.rules and access(field.rules, context.identity, verb).none:
                raise not_authorized(info.field_name, "Mutation")

    def relation(self, relation: Relation) -> Resolver:
        target = self.amplify.models[relation.target]
        index = target.index_of(relation.keys)
        fields = index.fields if index else relation.keys

        def one(source: Record, info: Info, **_: Any) -> Any:
            context = info.context
            keys = tuple(source.get(name) for name in relation.keys)
            if any(key is None for key in keys):
                return None
            found = check(target, "get", info)
            record = self.reader.get(target, keys)
            if record is not None and not found.grants(context.identity, record):
                raise not_authorized(info.field_name, info.parent_type.name)
            return record

        def many(source: Record, info: Info, **arguments: Any) -> Any:
            context = info.context
            own = self.amplify.models[info.parent_type.name].key
            partition = tuple(source.get(name) for name in own)[:len(relation.keys)]
            if any(part is None for part in partition):
                return None
            found = check(target, "list", info)
            page = self.reader.query(
                info.field_name, target, fields, partition,
                {"limit": relation.limit} | arguments,
                lambda record: found.grants(context.identity, record))
            return page

        def first(source: Record, info: Info, **arguments: Any) -> Any:
            page = many(source, info, **arguments)
            if page is None or "items" not in page:
                return page
            return page["items"][0] if page["items"] else None

        if relation.holds_key:
            return one
        return many if relation.kind == "HAS_MANY" else first


def check(model: Model, operation: str, info: Info) -> Access:
    """Returns what the caller may do, or raises where it may do nothing of the kind."""
    context = info.context
    if not mode_allowed(model, context.identity):
        named = getattr(info.return_type, "name", model.name)
        raise not_authorized(info.field_name, named)
    found = access(model.rules, context.identity, operation)
    if found.none:
        raise not_authorized(info.field_name, info.parent_type.name)
    return found


def picked(item: Record | None, info: Info) -> Any:
    """Returns an error's item as AppSync sends it: what the mutation selected, and no more."""
    context = info.context
    if item is None:
        return None
    return project(item, info.field_nodes[0].selection_set, context.fragments, False)


def guarded(field: Field) -> Resolver:
    rules: tuple[AuthRule, ...] = field.rules

    def resolve(source: Record, info: Info, **_: Any) -> Any:
        context = info.context
        if not access(rules, context.identity, "get").grants(context.identity, source):
            raise not_authorized(info.field_name, info.parent_type.name)
        return source.get(info.field_name)

    return resolve


def put(schema: GraphQLSchema, parent: str, name: str | None, resolver: Resolver) -> None:
    kind = schema.get_type(parent)
    if name and isinstance(kind, GraphQLObjectType) and name in kind.fields:
        kind.fields[name].resolve = resolver
