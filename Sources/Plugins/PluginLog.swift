/// Something a plugin said that is no answer: masked and fit to be shown.
package struct PluginLog: Sendable, Equatable {
    package enum Source: Sendable, Equatable {
        /// It wrote it to its standard error.
        case standardError
        /// It sent a `log` notification of this level.
        case notification(level: String)
        /// The host noticed something about it that is no error.
        case host
    }

    package var plugin: String
    package var source: Source
    package var message: String
}
