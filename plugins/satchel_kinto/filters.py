"""Filters that Kinto evaluates exactly as Satchel does: that fields are equal to values.

Its other operators do not: `min_`, `max_`, `gt_` and `lt_` compare across types and bring records
without the field, `like_` ignores case, `in_` splits texts at commas.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .models import RESERVED, Model

OPERATORS = ["eq"]
# A parameter that begins so is not the name of a field to Kinto.
OTHER_MEANING = re.compile(r"_|(lt|min|max|not|eq|gt|in|exclude|like|has|contains|contains_any)_")


def query_of(filter: Any, model: Model) -> dict[str, str] | None:
    """The parameters for a filter; None where it has to be left to the host, who filters too."""
    if not isinstance(filter, dict):
        return None
    if isinstance(filter.get("and"), list):
        query: dict[str, str] = {}
        for part in filter["and"]:
            some = query_of(part, model)
            # Fewer conditions bring more records, which does no harm; two on one field do.
            if some is None or set(some) & set(query):
                return None
            query.update(some)
        return query
    name, value = filter.get("field"), filter.get("value")
    if filter.get("op") != "eq" or not isinstance(name, str) or name not in model.fields:
        return None
    if name in RESERVED or OTHER_MEANING.match(name) or model.fields[name].get("list"):
        return None
    if not isinstance(value, (str, bool, int)) or model.is_json(name):
        return None
    if isinstance(value, str) and "\0" in value:
        return None
    return {name: json.dumps(value)}
