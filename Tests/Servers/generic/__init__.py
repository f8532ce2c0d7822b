"""GraphQL APIs that are none of AppSync's: a Strawberry server, and two of well-known shapes."""
