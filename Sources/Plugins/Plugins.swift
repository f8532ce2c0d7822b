// The module Plugins.
