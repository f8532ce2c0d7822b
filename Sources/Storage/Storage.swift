// The module Storage.
