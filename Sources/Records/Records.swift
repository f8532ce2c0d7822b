// The module Records.
