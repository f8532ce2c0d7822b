// The module PluginKit.
