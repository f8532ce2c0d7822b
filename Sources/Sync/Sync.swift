// The module Sync.
