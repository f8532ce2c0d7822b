internal import JSON

/// A connection over which an API sends the results of subscriptions.
protocol LiveStream: AnyObject {
    /// Become readable when there is something to do.
    var descriptors: [Int32] { get }
    /// Milliseconds after which it has something to do in any case.
    var pause: Int64 { get }
    /// Lets it move on, without waiting; what has come.
    func advance() -> [LiveSignal]
    func close()
}

/// What a stream tells.
enum LiveSignal {
    /// The API has taken a subscription, or all of them.
    case opened
    /// A result of the subscription at that place.
    case result(Int, GraphQLAnswer)
    /// It is over: nothing follows.
    case ended(String)
}
