import JSON
import Testing

@Suite struct `Numbers` {
    static let spellings = [
        "0", "-1", "7", "999999999999999999", "1000000000000000000", "9223372036854775807",
        "-9223372036854775808", "9223372036854775808", "-9223372036854775809",
        "9007199254740993", "12345678901234567890123", "-0", "0.0", "-0.0", "1.0", "1.00", "1.50",
        "1.5", "0.1", "0.10", "3.141592653589793", "3.14159265358979323846", "0.0001", "0.00012",
        "0.00001", "1e-05", "1e5", "1E5", "1e+20", "1e20", "1.0e0", "100.0", "1e400", "-1e-400",
        "123456789012345.6", "12345678901234.5", "0.30000000000000004", "5e-324",
        "1.7976931348623157e+308", "0.000000000000001", "9007199254740993.0", "48.856614",
        "2.3522219", "-122.41941550000001",
    ]

    @Test(arguments: spellings)
    func `are written as they came`(_ text: String) throws {
        #expect(try JSONValue.parse(text).serialized() == text)
        #expect(try JSONValue.parse(" [\(text) ,\(text)]").serialized() == "[\(text),\(text)]")
    }

    static let kinds: [(String, JSONValue)] = [
        ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
        ("9007199254740993", .int(9_007_199_254_740_993)), ("1.5", .double(1.5)),
        ("-122.41941550000001", .double(-122.41941550000001)), ("1e+20", .double(1e20)),
        ("0.0", .double(0)), ("9223372036854775808", .big("9223372036854775808")),
        ("1.50", .big("1.50")), ("-0", .big("-0")), ("1E5", .big("1E5")), ("1e400", .big("1e400")),
    ]

    @Test(arguments: kinds)
    func `are machine numbers only when nothing is lost`(_ text: String, _ value: JSONValue) throws
    {
        let parsed = try JSONValue.parse(text)
        #expect(parsed == value)
        #expect("\(parsed)" == "\(value)")
    }

    static let canonical: [(String, String)] = [
        ("1.50", "1.5"), ("1E3", "1000"), ("10e2", "1000"), ("1000.0", "1000"), ("-0", "-0.0"),
        ("-0.0", "-0.0"), ("0.00", "0"), ("1e400", "1e400"), ("0.1000", "0.1"), ("5", "5"),
        ("12345678901234567890123", "12345678901234567890123"), ("1e22", "1e+22"),
        ("9007199254740993.0", "9007199254740993"), ("9223372036854775808", "9223372036854775808"),
        ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"),
        ("1e99999999999999999999", "1e99999999999999999999"), ("-2.50e-1", "-0.25"),
    ]

    @Test(arguments: canonical)
    func `have one canonical spelling where a machine number is exact`(
        _ text: String, _ expected: String
    ) throws {
        #expect(try JSONValue.parse(text).canonicalNumber.serialized() == expected)
    }

    static let equal: [(String, String)] = [
        ("1.50", "1.5"), ("1e2", "100"), ("100", "100.0"), ("1E400", "10e399"), ("-0", "0"),
        ("12345678901234567890123", "12345678901234567890123.0"), ("-0", "-0.0"),
        ("9007199254740993", "9007199254740993.0"), ("0.1", "1e-1"),
    ]

    @Test(arguments: equal)
    func `are equal however they are spelled`(_ left: String, _ right: String) throws {
        let (left, right) = (try JSONValue.parse(left), try JSONValue.parse(right))
        #expect(left == right)
        #expect(right == left)
        #expect(left.hashValue == right.hashValue)
    }

    static let unequal: [(String, String)] = [
        ("9007199254740993", "9007199254740992.0"),
        ("12345678901234567890123", "1.2345678901234568e+22"),
        ("0.1", "0.1000000000000000055511151231257827"), ("1", "-1"), ("1e400", "1e401"),
        ("1", "10"),
    ]

    @Test(arguments: unequal)
    func `differ when any digit does`(_ left: String, _ right: String) throws {
        #expect(try JSONValue.parse(left) != JSONValue.parse(right))
    }

    @Test func `give the nearest double`() throws {
        #expect(try JSONValue.parse("1.50").doubleValue == 1.5)
        #expect(try JSONValue.parse("3").doubleValue == 3)
        #expect(try JSONValue.parse("12345678901234567890123").doubleValue == 1.2345678901234568e22)
        #expect(try JSONValue.parse("1e400").doubleValue == nil)
        #expect(JSONValue.string("1").doubleValue == nil)
    }
}
