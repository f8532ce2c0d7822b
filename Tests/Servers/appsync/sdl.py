"""Writes the API that Amplify generates from a schema, as SDL."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .inputs import COMMON_INPUTS, enum_inputs, filter_input, subscription_input
from .model import SCALARS, AmplifySchema, Field, Model
from .names import upper_first

VERSIONED_FIELDS = ("_version: Int!", "_deleted: Boolean", "_lastChangedAt: AWSTimestamp!")


@dataclass(frozen=True)
class Flavour:
    """Which API is generated."""

    conflict_detection: bool = True
    subscription_filters: bool = True
    owner_argument: str = "optional"


def block(head: str, lines: Iterable[str]) -> str:
    return head + " {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def generate(schema: AmplifySchema, flavour: Flavour) -> str:
    """Returns the SDL of the API, as AppSync would serve it by introspection."""
    parts = ["directive @aws_subscribe(mutations: [String!]!) on FIELD_DEFINITION\n"]
    parts += [f"scalar {name}\n" for name in SCALARS if name.startswith("AWS")]
    parts += [block(f"enum {name}", values) for name, values in schema.enums.items()]
    parts.append(COMMON_INPUTS)
    parts += [enum_inputs(name) for name in schema.enums]
    for name, fields in schema.nonmodels.items():
        parts.append(block(f"type {name}", (output(schema, each) for each in fields.values())))
        parts.append(block(f"input {name}Input", (
            f"{each.name}: {input_type(each, each.type.required)}" for each in fields.values())))
    for model in schema.models.values():
        parts += model_types(schema, model, flavour)
    queries = [line for model in schema.models.values() for line in query_fields(model, flavour)]
    parts.append(block("type Query", queries))
    writes = [line for model in schema.models.values() for line in mutation_fields(model)]
    if writes:
        parts.append(block("type Mutation", writes))
    live = [line for model in schema.models.values()
            for line in subscription_fields(model, flavour)]
    if live:
        parts.append(block("type Subscription", live))
    return "\n".join(parts)


def model_types(schema: AmplifySchema, model: Model, flavour: Flavour) -> list[str]:
    name = model.name
    versioned = flavour.conflict_detection
    own = [output(schema, each) for each in model.fields.values()]
    connection = [f"items: [{name}]!", "nextToken: String"]
    extra = ["_deleted: ModelBooleanInput"] if versioned else []
    conditions = [line for each in model.stored() if (line := filter_input(each))]
    keyless = [line for each in model.stored()
               if each.name not in model.key and (line := filter_input(each))]
    live = [line for each in model.stored() if (line := subscription_input(each))]
    parts = [
        block(f"type {name}", own + (list(VERSIONED_FIELDS) if versioned else [])),
        block(f"type Model{name}Connection",
              connection + (["startedAt: AWSTimestamp"] if versioned else [])),
        block(f"input Model{name}FilterInput",
              conditions + groups(f"Model{name}FilterInput", True) + extra),
        block(f"input Model{name}ConditionInput",
              keyless + groups(f"Model{name}ConditionInput", True) + extra),
        block(f"input ModelSubscription{name}FilterInput",
              live + groups(f"ModelSubscription{name}FilterInput", False) + extra),
    ]
    parts += write_inputs(model, ["_version: Int"] if versioned else [])
    for type_name, keys in composite_keys(model):
        parts.append(block(f"input {type_name}KeyInput",
                           (f"{key}: {model.fields[key].type.name}" for key in keys)))
        parts.append(block(f"input {type_name}KeyConditionInput", (
            f"{operator}: " + (f"[{type_name}KeyInput]" if operator == "between"
                               else f"{type_name}KeyInput")
            for operator in ("eq", "le", "lt", "ge", "gt", "between", "beginsWith"))))
    return parts


def groups(name: str, negation: bool) -> list[str]:
    lines = [f"and: [{name}]", f"or: [{name}]"]
    return [*lines, f"not: {name}"] if negation else lines


def write_inputs(model: Model, extra: list[str]) -> list[str]:
    writable = [each for each in model.stored() if not (each.read_only or each.hidden_input)]
    create, update = [], []
    for each in writable:
        is_key = each.name in model.key
        generated = is_key and not model.custom_key and each.type.name in ("ID", "String")
        required = each.type.required and each.default is None and not generated
        stamp = each.name in (model.created_at, model.updated_at)
        create.append(f"{each.name}: {input_type(each, required and not stamp)}")
        update.append(f"{each.name}: {input_type(each, is_key)}")
    delete = [f"{key}: {model.fields[key].type.name}!" for key in model.key]
    return [
        block(f"input Create{model.name}Input", create + extra),
        block(f"input Update{model.name}Input", update + extra),
        block(f"input Delete{model.name}Input", delete + extra),
    ]


def input_type(field: Field, required: bool) -> str:
    name = field.type.name + ("Input" if field.kind == "nonmodel" else "")
    return field.type.render(name, required)


def output(schema: AmplifySchema, field: Field) -> str:
    relation = field.relation
    if relation is None:
        return f"{field.name}: {field.type.render()}"
    if relation.kind != "HAS_MANY":
        return f"{field.name}: {field.type.render()}"
    target = schema.models[relation.target]
    index = target.index_of(relation.keys)
    sort = sort_argument(target, index.name, index.fields[len(relation.keys):]) if index else []
    arguments = [*sort, f"filter: Model{target.name}FilterInput",
                 "sortDirection: ModelSortDirection", "limit: Int", "nextToken: String"]
    return f"{field.name}({', '.join(arguments)}): Model{target.name}Connection"


def composite_name(model: Model, index: str) -> str:
    return f"Model{model.name}{upper_first(index)}Composite"


def composite_keys(model: Model) -> list[tuple[str, tuple[str, ...]]]:
    found = []
    if len(model.key) > 2:
        found.append((composite_name(model, "Primary"), model.key[1:]))
    for index in model.indexes:
        if len(index.fields) > 2:
            found.append((composite_name(model, index.name), index.fields[1:]))
    return found


def sort_argument(model: Model, index: str, keys: tuple[str, ...]) -> list[str]:
    """Returns the argument that narrows a query by its sort keys, if it has any."""
    if not keys:
        return []
    if len(keys) > 1:
        name = keys[0] + "".join(upper_first(key) for key in keys[1:])
        return [f"{name}: {composite_name(model, index)}KeyConditionInput"]
    scalar = model.fields[keys[0]].type.name
    kind = {"ID": "ID", "Int": "Int", "Float": "Float", "AWSTimestamp": "Int"}
    return [f"{keys[0]}: Model{kind.get(scalar, 'String')}KeyConditionInput"]


def query_fields(model: Model, flavour: Flavour) -> list[str]:
    name, names = model.name, model.operations
    paging = [f"filter: Model{name}FilterInput", "limit: Int", "nextToken: String"]
    lines = []
    if names.get:
        keys = ", ".join(f"{key}: {model.fields[key].type.name}!" for key in model.key)
        lines.append(f"{names.get}({keys}): {name}")
    if names.list:
        arguments = paging
        if model.custom_key:
            first = f"{model.key[0]}: {model.fields[model.key[0]].type.name}"
            arguments = [first, *sort_argument(model, "Primary", model.key[1:]), *paging,
                         "sortDirection: ModelSortDirection"]
        lines.append(f"{names.list}({', '.join(arguments)}): Model{name}Connection")
    if names.sync and flavour.conflict_detection:
        arguments = [*paging, "lastSync: AWSTimestamp"]
        lines.append(f"{names.sync}({', '.join(arguments)}): Model{name}Connection")
    for index in model.indexes:
        if index.query:
            first = f"{index.fields[0]}: {model.fields[index.fields[0]].type.name}!"
            arguments = [first, *sort_argument(model, index.name, index.fields[1:]),
                         "sortDirection: ModelSortDirection", *paging]
            lines.append(f"{index.query}({', '.join(arguments)}): Model{name}Connection")
    return lines


def mutation_fields(model: Model) -> list[str]:
    names = model.operations
    lines = []
    for verb, name in (("Create", names.create), ("Update", names.update),
                       ("Delete", names.delete)):
        if name:
            lines.append(f"{name}(input: {verb}{model.name}Input!, "
                         f"condition: Model{model.name}ConditionInput): {model.name}")
    return lines


def owner_fields(model: Model) -> list[str]:
    """Returns the owner arguments of a model's subscriptions."""
    found: list[str] = []
    for rule in model.rules:
        if rule.allow == "owner" and "listen" in rule.operations:
            name = rule.owner_field
            if not model.fields[name].type.is_list and name not in found:
                found.append(name)
    return found


def subscription_fields(model: Model, flavour: Flavour) -> list[str]:
    names = model.operations
    arguments = []
    if flavour.subscription_filters:
        arguments.append(f"filter: ModelSubscription{model.name}FilterInput")
    must = "!" if flavour.owner_argument == "required" else ""
    arguments += [f"{owner}: String{must}" for owner in owner_fields(model)]
    text = f"({', '.join(arguments)})" if arguments else ""
    lines = []
    for name, source in ((names.on_create, names.create), (names.on_update, names.update),
                         (names.on_delete, names.delete)):
        if name and source:
            lines.append(f'{name}{text}: {model.name} @aws_subscribe(mutations: ["{source}"])')
    return lines
