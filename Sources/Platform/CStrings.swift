internal import Glibc

/// Texts as C wants them: an array of pointers with a null at its end.
final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { pointers[index] = strdup(text) }
        pointers[count] = nil
    }

    /// As `execve` takes it.
    var vector: UnsafePointer<UnsafeMutablePointer<CChar>?> { UnsafePointer(pointers) }

    func text(_ index: Int) -> UnsafePointer<CChar>? { pointers[index].map { UnsafePointer($0) } }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
