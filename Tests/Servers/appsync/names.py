"""Names that Amplify derives from a schema: plurals, operations, foreign keys."""

from __future__ import annotations

IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}
UNCOUNTED = ("news", "series", "species", "sheep", "equipment", "information")


def upper_first(word: str) -> str:
    return word[:1].upper() + word[1:]


def lower_first(word: str) -> str:
    return word[:1].lower() + word[1:]


def plural(name: str) -> str:
    """Returns the plural Amplify gives a model: `Category` is `Categories`."""
    low = name.lower()
    if low.endswith(UNCOUNTED):
        return name
    for one, many in IRREGULAR.items():
        if low.endswith(one):
            return name[: len(name) - len(one) + 1] + many[1:]
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return name[:-1] + "ies"
    if low.endswith("s") and not low.endswith(("ss", "us", "is")):
        return name  # A plural already, such as the join model `PostTags`.
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return name + "es"
    return name + "s"


def index_query(model_plural: str, fields: tuple[str, ...]) -> str:
    """Returns the query of an index without `queryField`: `postsByBlogIDAndTitle`."""
    return f"{lower_first(model_plural)}By" + "And".join(upper_first(field) for field in fields)


def foreign_key(model: str, field: str, suffix: str) -> str:
    """Returns the key field Amplify adds for a relation: `Post`, `comments`, `id`."""
    return f"{lower_first(model)}{upper_first(field)}{upper_first(suffix)}"
