import Glibc
import JSON

/// How long `work` takes, in microseconds.
func microseconds(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let begun = clock.now
    try work()
    return (clock.now - begun) / .microseconds(1)
}

/// The processor time this process took so far, all its threads, in microseconds.
func processorMicroseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

extension JSONObject {
    /// Notes a figure, rounded to a thousandth.
    mutating func note(_ name: String, _ value: Double) {
        self[name] = .double((value * 1000).rounded() / 1000)
    }
}
