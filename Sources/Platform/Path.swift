internal import Glibc

/// Arithmetic on file paths; touches no file.
package enum Path {
    /// `name` below `directory`; an absolute `name` stands alone.
    package static func join(_ directory: String, _ name: String) -> String {
        if name.utf8.first == UInt8(ascii: "/") || directory.isEmpty { return name }
        if name.isEmpty { return directory }
        return directory.utf8.last == UInt8(ascii: "/") ? directory + name : "\(directory)/\(name)"
    }

    package static func isAbsolute(_ path: String) -> Bool {
        path.utf8.first == UInt8(ascii: "/")
    }

    /// The path without `.`, `..`, doubled and trailing slashes, symbolic links not followed.
    package static func normalise(_ path: String) -> String {
        let absolute = isAbsolute(path)
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part != ".." {
                parts.append(part)
            } else if let last = parts.last, last != ".." {
                parts.removeLast()
            } else if !absolute {
                parts.append(part)
            }
        }
        let joined = parts.joined(separator: "/")
        if absolute { return "/\(joined)" }
        return joined.isEmpty ? "." : joined
    }

    /// The last component: "b" of "/a/b" and of "/a/b/".
    package static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? (isAbsolute(path) ? "/" : path)
    }

    /// Everything before the last component: "/a" of "/a/b", "." of "b".
    package static func parent(_ path: String) -> String {
        var bytes = path.utf8[...]
        let slash = UInt8(ascii: "/")
        while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
        guard let cut = bytes.lastIndex(of: slash) else { return "." }
        bytes = bytes[..<cut]
        while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
        return bytes.isEmpty || bytes.elementsEqual([slash]) ? "/" : String(Substring(bytes))
    }
}
