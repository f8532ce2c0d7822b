import JSON
import Testing

@Suite struct `Equality of values` {
    static let equal: [(String, String)] = [
        (#"{"a":1,"b":[{"c":null}]}"#, #"{"b":[{"c":null}],"a":1}"#), ("{}", "{ }"),
        (#"{"a":1.0,"b":2,"c":3}"#, #"{"c":3,"a":1,"b":2.00}"#), (#""é""#, #""\u00e9""#),
    ]

    @Test(arguments: equal) func `is blind to order and spelling`(_ left: String, _ right: String)
        throws
    {
        let (left, right) = (try JSONValue.parse(left), try JSONValue.parse(right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    static let unequal: [(String, String)] = [
        (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1}"#, #"{"a":1,"b":1}"#),
        (#"{"a":null}"#, "{}"), ("[1,2]", "[2,1]"), ("null", "false"), ("0", "false"),
        ("1", #""1""#),
        ("\"\u{e9}\"", "\"e\u{301}\""), ("\"\u{212b}\"", "\"A\u{30a}\""), ("[]", "{}"),
        ("{\"\u{e9}\":1}", "{\"e\u{301}\":1}"), (#""long text, part a""#, #""long text, part b""#),
    ]

    @Test(arguments: unequal) func `sees every other difference`(_ left: String, _ right: String)
        throws
    {
        #expect(try JSONValue.parse(left) != JSONValue.parse(right))
    }
}
