"""Writes the configuration files that Amplify gives to clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .model import AmplifySchema, Field, Model
from .tokens import POOL

if TYPE_CHECKING:
    from .api import Api
    from .authorizer import Registry

JSON = dict[str, Any]
AUTH_TYPES = {"apiKey": "API_KEY", "userPools": "AMAZON_COGNITO_USER_POOLS", "iam": "AWS_IAM",
              "oidc": "OPENID_CONNECT", "function": "AWS_LAMBDA"}
# The client is the one that refresh tokens are for, unless a test says otherwise.
POOL_ID, CLIENT_ID = POOL.rpartition("/")[2], "testclient"


def field_type(field: Field) -> Any:
    name = field.type.name
    wrapped = {"enum": "enum", "nonmodel": "nonModel", "model": "model"}.get(field.kind)
    return {wrapped: name} if wrapped else name


def association(schema: AmplifySchema, model: Model, field: Field) -> JSON | None:
    relation = field.relation
    if relation is None:
        return None
    target = schema.models[relation.target]
    if relation.kind == "BELONGS_TO":
        return {"connectionType": "BELONGS_TO", "targetNames": list(relation.keys)}
    # The other side's belongs-to where there is one, else its fields.
    back = [each.name for each in target.fields.values()
            if each.relation and each.relation.kind == "BELONGS_TO"
            and each.relation.target == model.name
            and (relation.holds_key or each.relation.keys == relation.keys)]
    fields = list(target.key if relation.holds_key else relation.keys)
    found: JSON = {"connectionType": relation.kind, "associatedWith": back or fields}
    if relation.holds_key:
        found["targetNames"] = list(relation.keys)
    return found


def describe_field(schema: AmplifySchema, model: Model, field: Field) -> JSON:
    many = field.relation is not None and field.relation.kind == "HAS_MANY"
    found: JSON = {
        "name": field.name,
        "isArray": field.type.is_list or many,
        "type": field_type(field),
        "isRequired": field.type.element_required if field.type.is_list else field.type.required,
        "attributes": [],
    }
    if found["isArray"]:
        found["isArrayNullable"] = not field.type.required
    if field.read_only:
        found |= {"isReadOnly": True, "isRequired": False}
    link = association(schema, model, field)
    if link:
        found["association"] = link
    return found


def describe_model(schema: AmplifySchema, model: Model) -> JSON:
    attributes: list[JSON] = [{"type": "model", "properties": {}}]
    if model.custom_key:
        attributes.append({"type": "key", "properties": {"fields": list(model.key)}})
    for index in model.indexes:
        properties: JSON = {"name": index.name, "fields": list(index.fields)}
        if index.query:
            properties["queryField"] = index.query
        attributes.append({"type": "key", "properties": properties})
    if model.rules:
        attributes.append({"type": "auth", "properties": {"rules": [
            {"allow": rule.allow, "provider": rule.provider,
             "operations": sorted(rule.operations & {"create", "update", "delete"})
             + (["read"] if "get" in rule.operations else [])}
            | ({"ownerField": rule.owner_field, "identityClaim": rule.identity_claim}
               if rule.allow == "owner" else {})
            | ({"groups": list(rule.groups), "groupClaim": rule.group_claim}
               if rule.allow == "groups" else {})
            for rule in model.rules]}})
    # The owner, and a key that was added for a belongs-to, are not in the introspection.
    hidden = {key for each in model.fields.values()
              if each.relation and each.relation.kind == "BELONGS_TO"
              for key in each.relation.keys if model.fields[key].derived}
    return {
        "name": model.name,
        "fields": {each.name: describe_field(schema, model, each)
                   for each in model.fields.values()
                   if not each.hidden_input and each.name not in hidden},
        "syncable": True,
        "pluralName": model.plural,
        "attributes": attributes,
        "primaryKeyInfo": {
            "isCustomPrimaryKey": model.custom_key,
            "primaryKeyFieldName": model.key[0],
            "sortKeyFieldNames": list(model.key[1:]),
        },
    }


def model_introspection(schema: AmplifySchema) -> JSON:
    """Returns `model_introspection`, version 1."""
    return {
        "version": 1,
        "models": {name: describe_model(schema, model) for name, model in schema.models.items()},
        "enums": {name: {"name": name, "values": values}
                  for name, values in schema.enums.items()},
        "nonModels": {
            name: {"name": name, "fields": {
                each.name: {
                    "name": each.name, "isArray": each.type.is_list, "type": field_type(each),
                    "isRequired": each.type.required, "attributes": []}
                for each in fields.values()}}
            for name, fields in schema.nonmodels.items()},
    }


def amplify_outputs(api: Api, url: str, registry: Registry) -> JSON:
    """Returns an `amplify_outputs.json` (Gen 2) for the API at an address."""
    kinds = [AUTH_TYPES[mode] for mode in registry.modes]
    data: JSON = {"url": url, "aws_region": registry.region,
                  "default_authorization_type": kinds[0], "authorization_types": kinds[1:]}
    if "apiKey" in registry.modes:
        data["api_key"] = sorted(registry.api_keys)[0]
    data["model_introspection"] = model_introspection(api.amplify)
    return ({"auth": {"aws_region": registry.region, "user_pool_id": POOL_ID,
                      "user_pool_client_id": CLIENT_ID}} if "userPools" in registry.modes else {}
            ) | {"data": data, "version": "1.3"}


def amplify_configuration(url: str, registry: Registry) -> JSON:
    """Returns an `amplifyconfiguration.json` (Gen 1) for the API at an address."""
    plugin: JSON = {"endpointType": "GraphQL", "endpoint": url, "region": registry.region,
                    "authorizationType": AUTH_TYPES[registry.modes[0]]}
    if registry.modes[0] == "apiKey":
        plugin["apiKey"] = sorted(registry.api_keys)[0]
    pool = {"PoolId": POOL_ID, "AppClientId": CLIENT_ID, "Region": registry.region}
    return {"UserAgent": "aws-amplify-cli/2.0", "Version": "1.0",
            "api": {"plugins": {"awsAPIPlugin": {"notes": plugin}}}} | (
                {"auth": {"plugins": {"awsCognitoAuthPlugin": {"CognitoUserPool": {
                    "Default": pool}}}}} if "userPools" in registry.modes else {})
