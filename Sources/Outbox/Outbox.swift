// The module Outbox.
