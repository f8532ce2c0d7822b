/// What a schema file says, before anything is looked up.
struct SDLDocument {
    var objects: [SDLObject] = []
    var enums: [SDLEnum] = []
    /// Definitions that are read over: scalars, inputs, interfaces, unions.
    var others: [SDLOther] = []
    /// What was accepted without effect.
    var notes: [SDLNote] = []
}

struct SDLNote {
    var offset: Int
    var text: String
}

struct SDLName {
    var text: String
    var offset: Int
}

struct SDLObject {
    var name: SDLName
    var directives: [SDLDirective]
    var fields: [SDLField]

    func directive(_ name: String) -> SDLDirective? { directives.first { $0.name.text == name } }
}

struct SDLField {
    var name: SDLName
    var type: SDLType
    var directives: [SDLDirective]

    func directive(_ name: String) -> SDLDirective? { directives.first { $0.name.text == name } }
}

struct SDLType {
    var name: SDLName
    var isList: Bool
    var isRequired: Bool
    var hasRequiredElements: Bool
}

struct SDLEnum {
    var name: SDLName
    var values: [SDLName]
}

struct SDLOther {
    var keyword: String
    var name: SDLName
}

struct SDLDirective {
    var name: SDLName
    var arguments: [SDLArgument]

    func argument(_ name: String) -> SDLValue? {
        arguments.first { $0.name.text == name }?.value
    }
}

struct SDLArgument {
    var name: SDLName
    var value: SDLValue
}

struct SDLValue {
    indirect enum Kind {
        case string(String)
        /// A number, `true`, `null` or an enum value, as written.
        case word(String)
        case list([SDLValue])
        case object([SDLArgument])
    }

    var offset: Int
    var kind: Kind
}
