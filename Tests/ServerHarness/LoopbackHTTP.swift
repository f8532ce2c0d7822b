internal import Glibc
internal import Platform

/// As much of HTTP as it takes to talk to a server of the tests.
package enum LoopbackHTTP {
    /// Posts JSON to 127.0.0.1 and waits for the whole answer.
    package static func post(
        _ port: Int, _ path: String, _ body: [UInt8], headers: [String: String] = [:]
    ) throws -> (status: Int, body: [UInt8]) {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard number >= 0 else { throw SystemError("open a socket", code: errno) }
        let connection = Descriptor(taking: number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw SystemError("connect to port \(port)", code: errno) }
        var head = "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        let output = ByteOutput(number, name: "the socket")
        try output.write(Array("\(head)\r\n".utf8))
        try output.write(body)
        try output.flush()
        let answer = try Files.readAll(number, limit: 1 << 30)
        _ = consume connection
        return try parse(answer)
    }

    private static func parse(_ bytes: [UInt8]) throws -> (status: Int, body: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        guard let cut = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
            throw AppSyncServer.Trouble(description: "the server hung up")
        }
        let head = String(decoding: bytes[..<cut], as: UTF8.self)
        let words = head.split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else {
            throw AppSyncServer.Trouble(description: "no status: \(head)")
        }
        return (status, Array(bytes[(cut + 4)...]))
    }
}
