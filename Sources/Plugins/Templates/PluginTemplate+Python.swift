extension PluginTemplate {
    /// `plugins/templates/python.py`, letter by letter.
    static let pythonic = #"""
        #!/usr/bin/env python3
        """satchel-backend-NAME: keeps records in one JSON file, the config key `path`."""
        import fcntl, json, os, sys, uuid

        class Refused(Exception): pass  # the error of a whole request: its kind and a message

        def load():  # seq counts the changes: versions and cursors are made of it
            if not os.path.exists(path):
                return {"identity": "NAME-" + uuid.uuid4().hex, "seq": 0, "items": {}, "keys": []}
            with open(path, encoding="utf-8") as file: return json.load(file)

        def change(work):  # gives what work(data) returns, once the file holds what it did
            with open(path + ".lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                data = load()
                result = work(data)
                with open(path + ".new", "w", encoding="utf-8") as file: json.dump(data, file)
                os.replace(path + ".new", path)
                return result

        def initialize(params):
            global path, models
            path = params["config"].get("path")
            if not path: raise Refused("permanent", "NAME keeps a file: set the config key path")
            models = {m["name"]: {f["name"]: f for f in m["fields"]} for m in params["models"]}
            push, pull = {"idempotency": "key", "batch": 100}, {"delta": True, "tombstones": True}
            return {"protocol": 1, "plugin": {"name": "NAME", "version": "1.0"},
                    "capabilities": {"push": push, "pull": pull, "ping": True},
                    "identity": change(lambda data: data["identity"])}

        def pull(params):
            data, after = load(), params["cursor"] or 0
            new = [item for item in data["items"].values()
                   if item["model"] == params["model"] and item["version"] > after]
            new.sort(key=lambda item: item["version"])
            page = new[:params["limit"]]
            more = len(page) < len(new)
            return {"records": page, "cursor": page[-1]["version"] if more else data["seq"], "more": more}

        def fetch(params):
            items, model = load()["items"], params["model"]
            return {"records": [items.get(f"{model}/{id}", {"id": id, "deleted": True})
                                for id in params["ids"]]}

        def push(params):
            def verdicts(data): return [{"key": op["key"], **verdict(data, op)} for op in params["ops"]]
            return {"results": change(verdicts)}

        def verdict(data, op):  # on one operation; only "ok" changes data
            place, kind, fields = f"{op['model']}/{op['id']}", op["kind"], op["set"] or {}
            now = {name: data["items"].get(place, {}).get(name) for name in ("version", "record")}
            version, record = now.values()
            if op["key"] in data["keys"] or kind == "delete" and not record: return {"outcome": "ok", **now}
            known = models[op["model"]]
            new = {"update": {**(record or {}), **fields}, "delete": None}.get(kind, op["record"])
            for name in () if kind == "delete" else fields if kind == "update" else {**known, **fields}:
                field, value = known.get(name), new.get(name)
                if not field or value is None and field["required"] and not field.get("read_only"):
                    return {"outcome": "rejected", "field": name, "message": f"{name} cannot be {value}"}
            if op["base_version"] != version if record else kind == "update":
                return {"outcome": "conflict", **now}
            data["seq"] += 1
            data["keys"] = data["keys"][-9999:] + [op["key"]]
            data["items"][place] = {"model": op["model"], "id": op["id"], "version": data["seq"],
                                    **({"record": new} if new else {"deleted": True})}
            return {"outcome": "ok", "version": data["seq"], "record": new}

        if os.environ.get("SATCHEL_PLUGIN") != "1": sys.exit(print(__doc__))
        METHODS = {"initialize": initialize, "pull": pull, "fetch": fetch, "push": push,
                   "ping": lambda _: {}, "shutdown": lambda _: {}}
        for request in map(json.loads, sys.stdin):
            if "id" not in request: continue  # such as cancel: what it means is answered already
            try:
                if request["method"] not in METHODS: raise Refused("unsupported", request["method"])
                answer = {"result": METHODS[request["method"]](request["params"])}
            except Refused as error:
                kind, message = error.args
                answer = {"error": {"code": -32000, "message": message, "data": {"kind": kind}}}
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)

        """#
}
