#!/bin/sh
//bin/true; [ "$0.bin" -nt "$0" ] || { swiftc -o "$0.$$" - <"$0" && mv "$0.$$" "$0.bin"; } || exit
//bin/true; exec "$0.bin" # So it builds itself when it has changed: run it by hand once.
// satchel-backend-NAME: keeps records in one JSON file, the config key "path".
import Foundation
typealias Object = [String: Any]
struct Refused: Error { let kind: String, message: String }  // the error of a whole request
var path = "", models: [Object] = []
func load() throws -> Object {  // seq counts the changes: versions and cursors are made of it
    guard let bytes = FileManager.default.contents(atPath: path) else {
        return ["identity": "NAME-\(UUID())", "seq": 0, "items": Object(), "keys": [String]()]
    }
    return try JSONSerialization.jsonObject(with: bytes) as! Object
}
func push(_ ops: [Object]) throws -> [Object] {  // the file holds it when this returns
    let lock = open(path + ".lock", O_RDWR | O_CREAT, 0o666)
    flock(lock, LOCK_EX); defer { close(lock) }
    var data = try load()
    let results = ops.map { verdict($0, &data).merging(["key": $0["key"]!]) { $1 } }
    let bytes = try JSONSerialization.data(withJSONObject: data)
    try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
    return results
}
func verdict(_ op: Object, _ data: inout Object) -> Object {  // only "ok" changes data
    let key = op["key"] as! String, kind = op["kind"] as! String, model = op["model"] as! String
    let place = "\(model)/\(op["id"]!)", keys = data["keys"] as! [String]
    var items = data["items"] as! [String: Object]
    let record = items[place]?["record"] as? Object, version = items[place]?["version"] as? Int
    var answer: Object = ["version": version ?? NSNull(), "record": record ?? NSNull()]
    answer["outcome"] = "ok"
    if keys.contains(key) || kind == "delete" && record == nil { return answer }
    let known = models.first { $0["name"] as! String == model }!["fields"] as! [Object]
    for (name, value) in op["set"] as? Object ?? [:] {
        let field = known.first { $0["name"] as! String == name }
        if let field, !(value is NSNull) || field["required"] as? Bool != true { continue }
        return ["outcome": "rejected", "field": name, "message": "\(name) cannot be \(value)"]
    }
    answer["outcome"] = "conflict"
    if record == nil ? kind == "update" : op["base_version"] as? Int != version { return answer }
    let seq = data["seq"] as! Int + 1, wanted = op["record"] as? Object
    let new = kind == "update" ? record!.merging(op["set"] as! Object) { $1 } : wanted
    items[place] = ["model": model, "id": op["id"]!, "version": seq]
    items[place]![new == nil ? "deleted" : "record"] = new ?? true
    data.merge(["seq": seq, "items": items, "keys": keys + [key]]) { $1 }
    return ["outcome": "ok", "version": seq, "record": new ?? NSNull()]
}
func result(_ method: String, _ params: Object) throws -> Object {
    if method == "push" { return ["results": try push(params["ops"] as! [Object])] }
    if method == "shutdown" { return [:] }
    if method == "pull" {
        let data = try load(), after = params["cursor"] as? Int ?? 0
        func version(_ item: Object) -> Int { item["version"] as! Int }
        let new = (data["items"] as! [String: Object]).values
            .filter { $0["model"] as! String == params["model"] as! String && version($0) > after }
            .sorted { version($0) < version($1) }
        let page = Array(new.prefix(params["limit"] as! Int)), more = page.count < new.count
        return ["records": page, "cursor": more ? version(page.last!) : data["seq"]!, "more": more]
    }
    guard method == "initialize" else { throw Refused(kind: "unsupported", message: method) }
    path = (params["config"] as! Object)["path"] as? String ?? ""
    if path.isEmpty { throw Refused(kind: "permanent", message: "set the config key path") }
    models = params["models"] as! [Object]
    _ = try push([])
    let writes: Object = ["idempotency": "key", "batch": 100]
    let can: Object = ["push": writes, "pull": ["delta": true, "tombstones": true], "fetch": false]
    return ["protocol": 1, "plugin": ["name": "NAME", "version": "1.0"],
        "capabilities": can, "identity": try load()["identity"]!]
}
if getenv("SATCHEL_PLUGIN") == nil { print("satchel-backend-NAME is a plugin of Satchel"); exit(0) }
while let line = readLine() {
    let request = try JSONSerialization.jsonObject(with: Data(line.utf8)) as! Object
    guard let id = request["id"] else { continue }  // such as cancel: it is answered already
    var answer: Object = ["jsonrpc": "2.0", "id": id]
    do { answer["result"] = try result(request["method"] as! String, request["params"] as! Object) }
    catch let no as Refused {
        answer["error"] = ["code": -1, "message": no.message, "data": ["kind": no.kind]] as Object
    }
    FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: answer) + [10])
}
