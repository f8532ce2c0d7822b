/// A line of the conversation with a plugin, without its LF.
struct WireLine: Sendable {
    let isFromHost: Bool
    let bytes: ArraySlice<UInt8>
}
