/// The order of texts: by their UTF-8 bytes, as SQLite's.
package enum TextOrder {
    static func compare(_ left: String, _ right: String) -> Order {
        for (a, b) in zip(left.utf8, right.utf8) where a != b { return Order(a, b) }
        return Order(left.utf8.count, right.utf8.count)
    }
}
