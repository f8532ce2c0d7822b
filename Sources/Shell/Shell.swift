// The module Shell.
