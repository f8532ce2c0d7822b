"""An API of the shape that Hasura gives to tables: https://hasura.io/docs/2.0/api-reference/graphql-api/"""

from __future__ import annotations

from graphql import GraphQLError, build_schema

from .store import SEAT, Refused, Store

SCALARS = {"uuid": "uuid", "String": "String", "Int": "Int", "timestamptz": "timestamptz",
           "jsonb": "jsonb", "Boolean": "Boolean"}
COLUMNS = {
    "posts": {"id": "uuid!", "title": "String!", "body": "String", "rating": "Int",
              "extra": "jsonb", "hidden": "Boolean", "created_at": "timestamptz!", "updated_at": "timestamptz!"},
    "comments": {"id": "Int!", "content": "String!", "post_id": "uuid"},
    "seats": {"hall": "String!", "row": "Int!", "number": "Int!", "guest": "String",
              "updated_at": "timestamptz!"},
}
KEYS = {"seats": SEAT}
RELATIONS = {
    "posts": "comments(where: comments_bool_exp, order_by: [comments_order_by!], limit: Int, "
             "offset: Int): [comments!]! comments_aggregate: comments_aggregate!",
    "comments": "post: posts",
    "seats": "",
}
CODES = {"unique": "constraint-violation", "not_null": "constraint-violation",
         "check": "constraint-violation", "permission": "permission-error"}
WORDS = {"unique": "Uniqueness violation. ", "not_null": "Not-NULL violation. ",
         "check": "Check constraint violation. ", "permission": ""}


def sdl() -> str:
    text = "schema { query: query_root mutation: mutation_root subscription: subscription_root }\n"
    text += "scalar uuid\nscalar timestamptz\nscalar jsonb\n"
    text += "enum order_by { asc asc_nulls_first asc_nulls_last desc desc_nulls_first " \
            "desc_nulls_last }\n"
    for scalar in SCALARS:
        text += f"input {scalar}_comparison_exp {{ _eq: {scalar} _gt: {scalar} _gte: {scalar} " \
                f"_in: [{scalar}!] _is_null: Boolean _lt: {scalar} _lte: {scalar} _neq: {scalar} " \
                f"_nin: [{scalar}!] }}\n"
    reads, writes = "", ""
    for table, columns in COLUMNS.items():
        named = " ".join(f"{name}: {kind}" for name, kind in columns.items())
        free = " ".join(f"{name}: {kind.rstrip('!')}" for name, kind in columns.items())
        compared = " ".join(f"{name}: {kind.rstrip('!')}_comparison_exp"
                            for name, kind in columns.items())
        ordered = " ".join(f"{name}: order_by" for name in columns)
        key = ", ".join(f"{name}: {columns[name]}" for name in KEYS.get(table, ("id",)))
        text += f"type {table} {{ {named} {RELATIONS[table]} }}\n"
        text += f"input {table}_bool_exp {{ _and: [{table}_bool_exp!] _or: [{table}_bool_exp!] " \
                f"_not: {table}_bool_exp {compared} }}\n"
        text += f"input {table}_order_by {{ {ordered} }}\n"
        text += f"input {table}_insert_input {{ {free} }}\ninput {table}_set_input {{ {free} }}\n"
        text += f"input {table}_pk_columns_input {{ {key} }}\n"
        text += f"type {table}_mutation_response {{ affected_rows: Int! returning: [{table}!]! }}\n"
        text += f"enum {table}_constraint {{ {table}_pkey }}\n"
        text += f"enum {table}_update_column {{ {' '.join(columns)} }}\n"
        text += f"input {table}_on_conflict {{ constraint: {table}_constraint! " \
                f"update_columns: [{table}_update_column!]! = [] where: {table}_bool_exp }}\n"
        reads += f"{table}(where: {table}_bool_exp, order_by: [{table}_order_by!], limit: Int, " \
                 f"offset: Int): [{table}!]!\n{table}_by_pk({key}): {table}\n"
        writes += f"insert_{table}(objects: [{table}_insert_input!]!, on_conflict: " \
                  f"{table}_on_conflict): {table}_mutation_response\n"
        writes += f"insert_{table}_one(object: {table}_insert_input!, on_conflict: " \
                  f"{table}_on_conflict): {table}\n"
        writes += f"update_{table}(where: {table}_bool_exp!, _set: {table}_set_input): " \
                  f"{table}_mutation_response\n"
        writes += f"update_{table}_by_pk(pk_columns: {table}_pk_columns_input!, " \
                  f"_set: {table}_set_input): {table}\n"
        writes += f"delete_{table}(where: {table}_bool_exp!): {table}_mutation_response\n"
        writes += f"delete_{table}_by_pk({key}): {table}\n"
    text += "type comments_aggregate { aggregate: comments_aggregate_fields nodes: [comments!]! }\n"
    text += "type comments_aggregate_fields { count: Int! }\n"
    text += f"type query_root {{ {reads} }}\ntype subscription_root {{ {reads} }}\n"
    text += f"type mutation_root {{ {writes} }}\n"
    return text


COMPARISONS = {
    "_eq": lambda a, b: a == b, "_neq": lambda a, b: a != b, "_gt": lambda a, b: a > b,
    "_gte": lambda a, b: a >= b, "_lt": lambda a, b: a < b, "_lte": lambda a, b: a <= b,
    "_in": lambda a, b: a in b, "_nin": lambda a, b: a not in b,
    "_is_null": lambda a, b: (a is None) == b,
}


def holds(row: dict, condition: dict | None) -> bool:
    for name, value in (condition or {}).items():
        if name == "_and":
            fits = all(holds(row, part) for part in value)
        elif name == "_or":
            fits = any(holds(row, part) for part in value)
        elif name == "_not":
            fits = not holds(row, value)
        else:
            has = row.get(name)
            fits = all(word == "_is_null" and COMPARISONS[word](has, wanted)
                       or has is not None and COMPARISONS[word](has, wanted)
                       for word, wanted in value.items())
        if not fits:
            return False
    return True


def choose(rows: list[dict], where=None, order_by=None, limit=None, offset=None) -> list[dict]:
    rows = [row for row in rows if holds(row, where)]
    for part in reversed(order_by or []):
        for name, way in reversed(part.items()):
            rows.sort(key=lambda row: (row.get(name) is None, row.get(name) or 0),
                      reverse=way.startswith("desc"))
    return rows[offset or 0:][:limit]


def refusing(write):
    try:
        return write()
    except Refused as error:
        raise GraphQLError(WORDS[error.kind] + error.message, extensions={
            "path": "$", "code": CODES[error.kind]}) from error


def make(store: Store):
    schema = build_schema(sdl())
    queries, mutations = schema.query_type.fields, schema.mutation_type.fields
    subscriptions = schema.subscription_type.fields
    for name in COLUMNS:
        bind(store, name, queries, mutations, subscriptions)
    posts, comments = schema.type_map["posts"].fields, schema.type_map["comments"].fields
    posts["comments"].resolve = lambda post, info, where=None, **more: choose(
        [row for row in store.tables["comments"].living() if row.get("post_id") == post["id"]],
        where, **more)
    comments["post"].resolve = lambda comment, info: store.tables["posts"].get(
        comment.get("post_id"))
    return schema


def bind(store: Store, name: str, queries, mutations, subscriptions) -> None:
    table = lambda: store.tables[name]

    def response(rows):
        return {"affected_rows": len(rows), "returning": rows}

    def update(root, info, where, _set=None):
        return refusing(lambda: response(
            [table().update(table().key(row), _set or {}) for row in choose(table().living(), where)]))

    def delete(root, info, where):
        return response([table().delete(table().key(row)) for row in choose(table().living(), where)])

    async def live(root, info, **more):
        # A live query: the whole result, whenever it has become another.
        last = None
        changes = store.changes(name)
        try:
            while True:
                rows = [dict(row) for row in choose(table().living(), **more)]
                if rows != last:
                    last = rows
                    yield {name: rows}
                await anext(changes)
        finally:
            await changes.aclose()

    queries[name].resolve = lambda root, info, **more: choose(
        table().living(), **more)[:store.cap]
    queries[f"{name}_by_pk"].resolve = lambda root, info, **key: table().get(table().key(key))
    subscriptions[name].subscribe = live
    subscriptions[name].resolve = lambda root, info, **more: root[name]
    mutations[f"insert_{name}_one"].resolve = lambda root, info, object, on_conflict=None: \
        refusing(lambda: table().insert(object))
    mutations[f"insert_{name}"].resolve = lambda root, info, objects, on_conflict=None: refusing(
        lambda: response([table().insert(each) for each in objects]))
    mutations[f"update_{name}"].resolve = update
    mutations[f"update_{name}_by_pk"].resolve = lambda root, info, pk_columns, _set=None: \
        refusing(lambda: table().update(table().key(pk_columns), _set or {}))
    mutations[f"delete_{name}"].resolve = delete
    mutations[f"delete_{name}_by_pk"].resolve = lambda root, info, **key: table().delete(table().key(key))
