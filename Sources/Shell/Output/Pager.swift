package import Platform

/// Which program shows output that is longer than the window.
package enum Pager {
    /// The command line to run; nil for none.
    ///
    /// `$SATCHEL_PAGER`, else `$PAGER`, else `less -FIRX` where there is a `less`. Empty or `cat`
    /// means that nothing pages.
    package static func command(_ environment: Environment) -> String? {
        guard let chosen = environment["SATCHEL_PAGER"] ?? environment["PAGER"] else {
            // A machine without less shows everything at once, as without a pager.
            return "if command -v less >/dev/null; then exec less -FIRX; else exec cat; fi"
        }
        return chosen.isEmpty || chosen == "cat" ? nil : chosen
    }
}
