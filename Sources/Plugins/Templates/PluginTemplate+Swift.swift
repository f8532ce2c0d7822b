extension PluginTemplate {
    /// `plugins/templates/swift.swift`, letter by letter.
    static let swifty = #"""
        #!/bin/sh
        //bin/true; [ "$0.bin" -nt "$0" ] && exec "$0.bin"; echo "building: run it once by hand" >&2
        //bin/true; swiftc -o "$0.$$" - <"$0" && mv "$0.$$" "$0.bin" && exec "$0.bin"; exit 1
        // satchel-backend-NAME: keeps records in one JSON file, the config key "path".
        import Foundation
        typealias JSON = [String: Any]
        struct Refused: Error { let kind: String, message: String }  // the error of a whole request
        var path = "", models: [String: [JSON]] = [:]
        func load() throws -> JSON {  // seq counts the changes: versions and cursors are made of it
            let fresh: JSON = ["identity": "NAME-\(UUID())", "seq": 0, "items": JSON(), "keys": [""]]
            guard let bytes = FileManager.default.contents(atPath: path) else { return fresh }
            return try JSONSerialization.jsonObject(with: bytes) as! JSON
        }
        func push(_ ops: [JSON]) throws -> [JSON] {  // the file holds it when this returns
            let lock = open(path + ".lock", O_RDWR | O_CREAT, 0o666)
            flock(lock, LOCK_EX); defer { close(lock) }
            var data = try load()
            let results = ops.map { verdict($0, &data).merging(["key": $0["key"]!]) { $1 } }
            let bytes = try JSONSerialization.data(withJSONObject: data)
            try bytes.write(to: URL(fileURLWithPath: path), options: .atomic)
            return results
        }
        func verdict(_ op: JSON, _ data: inout JSON) -> JSON {  // only "ok" changes data
            let key = op["key"] as! String, kind = op["kind"] as! String, model = op["model"] as! String
            let place = "\(model)/\(op["id"]!)", keys = data["keys"] as! [String]
            var items = data["items"] as! [String: JSON]
            let record = items[place]?["record"] as? JSON, version = items[place]?["version"] as? Int
            var answer: JSON = ["version": version ?? NSNull(), "record": record ?? NSNull()]
            answer["outcome"] = "ok"
            if keys.contains(key) || kind == "delete" && record == nil { return answer }
            let known = models[model]!, set = op["set"] as? JSON ?? [:], seq = data["seq"] as! Int + 1
            let new = kind == "update" ? (record ?? [:]).merging(set) { $1 } : op["record"] as? JSON
            let all = kind == "update" || new == nil ? [] : known.map { $0["name"] as! String }
            for name in set.keys + all {
                let field = known.first { $0["name"] as! String == name }, value = new?[name] ?? NSNull()
                let needs = field?["required"] as? Bool == true && field?["read_only"] as? Bool != true
                if field != nil, !(needs && value is NSNull) { continue }
                return ["outcome": "rejected", "field": name, "message": "\(name) cannot be \(value)"]
            }
            answer["outcome"] = "conflict"
            if record == nil ? kind == "update" : op["base_version"] as? Int != version { return answer }
            items[place] = ["model": model, "id": op["id"]!, "version": seq]
            items[place]![new == nil ? "deleted" : "record"] = new ?? true
            data.merge(["seq": seq, "items": items, "keys": keys + [key]]) { $1 }
            return ["outcome": "ok", "version": seq, "record": new ?? NSNull()]
        }
        func result(_ method: String, _ params: JSON) throws -> JSON {
            if method == "push" { return ["results": try push(params["ops"] as! [JSON])] }
            if method == "shutdown" { return [:] }
            if method == "pull" {
                let data = try load(), after = params["cursor"] as? Int ?? 0
                func version(_ item: JSON) -> Int { item["version"] as! Int }
                let new = (data["items"] as! [String: JSON]).values
                    .filter { $0["model"] as! String == params["model"] as! String && version($0) > after }
                    .sorted { version($0) < version($1) }
                let page = Array(new.prefix(params["limit"] as! Int)), more = page.count < new.count
                return ["records": page, "cursor": more ? version(page.last!) : data["seq"]!, "more": more]
            }
            guard method == "initialize" else { throw Refused(kind: "unsupported", message: method) }
            path = (params["config"] as! JSON)["path"] as? String ?? ""
            if path.isEmpty { throw Refused(kind: "permanent", message: "set the config key path") }
            for m in params["models"] as! [JSON] { models[m["name"] as! String] = m["fields"] as? [JSON] }
            _ = try push([])
            let writes: JSON = ["idempotency": "key", "batch": 100]
            let can: JSON = ["push": writes, "pull": ["delta": true, "tombstones": true], "fetch": false]
            return ["protocol": 1, "plugin": ["name": "NAME", "version": "1.0"],
                "capabilities": can, "identity": try load()["identity"]!]
        }
        if getenv("SATCHEL_PLUGIN") == nil { print("satchel-backend-NAME is a plugin of Satchel"); exit(0) }
        while let line = readLine() {
            let request = try JSONSerialization.jsonObject(with: Data(line.utf8)) as! JSON
            guard let id = request["id"] else { continue }  // such as cancel: it is answered already
            var answer: JSON = ["jsonrpc": "2.0", "id": id]
            do { answer["result"] = try result(request["method"] as! String, request["params"] as! JSON) }
            catch let no as Refused {
                answer["error"] = ["code": -1, "message": no.message, "data": ["kind": no.kind]] as JSON
            }
            FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: answer) + [10])
        }

        """#
}
