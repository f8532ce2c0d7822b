/// The plural of a model's name, as Amplify's transformer makes it.
///
/// Only needed where a server does not tell its schema: it names its own queries.
package enum Plural {
    package static func of(_ name: String) -> String {
        let letters = Array(name.utf8)
        let lower = name.lowercased()
        for (one, many) in irregular where lower.hasSuffix(one) {
            let start = letters.count - one.utf8.count
            // "Woman" ends in "man", and "Human" is no man.
            let isWord = start == 0 || letters[start] < 0x61
            guard isWord else { continue }
            let head = String(decoding: letters[..<start], as: UTF8.self)
            let isCapital = letters[start] < 0x61
            return head + (isCapital ? many.prefix(1).uppercased() + many.dropFirst() : many)
        }
        if uncountable.contains(where: { lower.hasSuffix($0) }) { return name }
        if lower.hasSuffix("y"), letters.count > 1,
            !"aeiou".utf8.contains(letters[letters.count - 2] | 0x20)
        {
            return name.dropLast() + "ies"
        }
        if lower.hasSuffix("sis") { return name.dropLast(2) + "es" }
        if ["s", "x", "z", "ch", "sh"].contains(where: { lower.hasSuffix($0) }) {
            return name + "es"
        }
        return name + "s"
    }

    private static let irregular = [
        ("person", "people"), ("child", "children"), ("man", "men"), ("woman", "women"),
        ("foot", "feet"), ("tooth", "teeth"), ("goose", "geese"), ("mouse", "mice"),
        ("leaf", "leaves"), ("life", "lives"), ("shelf", "shelves"), ("half", "halves"),
    ]
    private static let uncountable = [
        "equipment", "information", "money", "news", "series", "species", "fish", "sheep",
    ]
}
