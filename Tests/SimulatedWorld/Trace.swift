import Platform

/// The steps of a run on stderr, where somebody looks into a seed.
enum Trace {
    static let isOn = Environment.current()["SATCHEL_TRACE"] != nil

    static let watched = Environment.current()["SATCHEL_WATCH"]

    static func note(_ line: @autoclosure () -> String) {
        if isOn { Console.note(line()) }
    }
}
