"""The API: documents in, answers and changes out. No network, no clock of its own."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLSchema,
    GraphQLSyntaxError,
    OperationDefinitionNode,
    build_schema,
    parse,
    validate,
)
from graphql.execution import execute_sync

from .clock import Clock
from .context import Change, Context, FieldFault
from .errors import JSON, HTTPFailure, execution_error
from .executor import RecordExecutor, find_leaves
from .identity import Identity
from .model import AmplifySchema
from .reads import Reader
from .resolvers import Resolvers, default_resolver
from .scalars import install
from .sdl import Flavour, generate
from .selection import Fragments, fragments_of
from .settings import Settings
from .store import Store
from .validation import root_fields, validation_error, variable_error
from .writes import Writer

CACHED_DOCUMENTS = 2_000


@dataclass(frozen=True)
class Prepared:
    """A document that was read once."""

    document: DocumentNode
    fragments: Fragments
    refusals: list[JSON]

    def operation(self, name: str | None) -> OperationDefinitionNode | None:
        found = [each for each in self.document.definitions
                 if isinstance(each, OperationDefinitionNode)
                 and (not name or (each.name and each.name.value == name))]
        return found[0] if found else None


@dataclass
class Request:
    """A GraphQL request as it came, with what faults make of it."""

    query: str
    variables: dict[str, Any]
    operation_name: str | None = None
    fault: FieldFault | None = None
    empty_page: bool = False
    ignore_last_sync: bool = False


@dataclass
class Answer:
    data: Any
    errors: list[JSON] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    fragments: Fragments = field(default_factory=dict)
    arguments: dict[str, Any] = field(default_factory=dict)

    def body(self) -> bytes:
        parts: JSON = {"data": self.data}
        if self.errors:
            parts["errors"] = self.errors
        return json.dumps(parts, separators=(",", ":"), ensure_ascii=False).encode()


class Api:
    """The generated API of an Amplify schema over its tables."""

    def __init__(self, amplify: AmplifySchema, flavour: Flavour, settings: Settings,
                 clock: Clock) -> None:
        self.amplify = amplify
        self.flavour = flavour
        self.settings = settings
        self.clock = clock
        self.store = Store(amplify)
        self.sdl = generate(amplify, flavour)
        self.schema: GraphQLSchema = build_schema(self.sdl)
        install(self.schema)
        versioned = flavour.conflict_detection
        self.writer = Writer(self.store, settings, clock, versioned)
        self.reader = Reader(self.store, settings, clock, versioned)
        Resolvers(amplify, self.reader, self.writer).install(self.schema)
        find_leaves(self.schema)
        self._prepared: OrderedDict[str, Prepared] = OrderedDict()

    def prepare(self, query: str) -> Prepared:
        """Reads a document, once for each text.

        Raises the 400 that AppSync answers to what is not GraphQL.
        """
        known = self._prepared.get(query)
        if known is not None:
            self._prepared.move_to_end(query)
            return known
        try:
            document = parse(query)
        except GraphQLSyntaxError as error:
            raise malformed("Unable to parse GraphQL query.") from error
        refusals = [validation_error(each, document) for each in validate(self.schema, document)]
        found = Prepared(document, fragments_of(document), refusals)
        self._prepared[query] = found
        if len(self._prepared) > CACHED_DOCUMENTS:
            self._prepared.popitem(last=False)
        return found

    def execute(self, request: Request, identity: Identity, root: Any = None) -> Answer:
        """Runs a query or mutation, or shapes an event's payload (`root`) for a subscriber."""
        prepared = self.prepare(request.query)
        if prepared.refusals:
            return Answer(None, list(prepared.refusals))
        context = Context(identity, prepared.fragments, request.fault, request.empty_page,
                          request.ignore_last_sync, event=root is not None)
        result: ExecutionResult = execute_sync(
            self.schema, prepared.document, root_value=root, context_value=context,
            variable_values=request.variables, operation_name=request.operation_name,
            field_resolver=default_resolver, hide_suggestions=True,
            executor_class=RecordExecutor)
        errors = [execution_error(each, self.schema) for each in result.errors or () if each.path]
        if not errors and result.errors:  # Variables: the first that does not fit ends it.
            errors = [variable_error(result.errors[0], self.schema)]
        return Answer(result.data, errors, context.changes, prepared.fragments,
                      context.arguments)

    def describe(self, request: Request) -> tuple[str, list[str]]:
        """Returns the operation's kind and root fields; fills in a name that was not sent."""
        operation = self.prepare(request.query).operation(request.operation_name)
        if operation is None:
            raise malformed(f"Unknown operation named '{request.operation_name}'.")
        if operation.name:
            request.operation_name = operation.name.value
        return operation.operation.value, root_fields(operation)


def malformed(message: str) -> HTTPFailure:
    return HTTPFailure(400, "MalformedHttpRequestException", message)


def read_request(body: bytes) -> Request:
    """Reads the body of a POST."""
    if not body:
        raise malformed("Request body is empty.")
    try:
        values = json.loads(body)
    except ValueError as error:
        raise malformed("Unable to parse GraphQL query.") from error
    if not isinstance(values, dict) or not isinstance(values.get("query"), str):
        raise malformed("Unable to parse GraphQL query.")
    variables = values.get("variables")
    if isinstance(variables, str) and variables:
        variables = json.loads(variables)
    return Request(values["query"], variables or {}, values.get("operationName") or None)
