internal import JSON

extension ScalarText {
    static func jsonFault(_ text: String) -> String? {
        do throws(JSONError) {
            _ = try JSONValue.parse(text)
            return nil
        } catch {
            return "it is no JSON: \(error.message)"
        }
    }
}
