"""An AppSync-shaped GraphQL server for tests, with faults on demand."""
