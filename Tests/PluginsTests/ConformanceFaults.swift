/// A way to spoil the Python template, and the check that must notice.
struct ConformanceFault: Sendable, CustomStringConvertible {
    var check: String
    var patches: [(old: String, new: String)]

    init(_ check: String, _ patches: (old: String, new: String)...) {
        self.check = check
        self.patches = patches
    }

    var description: String { check }

    /// Keeps this instead of the record that was taken.
    private static func stored(_ expression: String) -> (old: String, new: String) {
        (#"**({"record": new} if new"#, #"**({"record": \#(expression)} if new"#)
    }

    static let faults = [
        ConformanceFault(
            "identity is the same after a restart",
            (
                #""identity": change(lambda data: data["identity"])}"#,
                #""identity": str(uuid.uuid4())}"#
            )),
        ConformanceFault("ping is answered", (#""ping": lambda _: {}, "#, "")),
        ConformanceFault(
            "a page keeps to its limit",
            (#"page = new[:params["limit"]]"#, #"page = new[:max(3, params["limit"])]"#)),
        ConformanceFault(
            "paging is complete",
            (
                #""cursor": page[-1]["version"] if more"#,
                #""cursor": page[-1]["version"] + 1 if more"#
            )
        ),
        ConformanceFault(
            "paging is stable",
            (#"item["version"] > after]"#, #"item["version"] >= after]"#)),
        ConformanceFault(
            "a cursor resumes after a restart",
            (
                #"data, after = load(), params["cursor"] or 0"#,
                #"data, after = load(), seen.get(str(params["cursor"]), 0)"#
            ),
            (
                #"    return {"records": page, "cursor": page[-1]["version"] if more else data["seq"], "more": more}"#,
                #"""
                    seen[str(id(page))] = page[-1]["version"] if more else data["seq"]
                    pages.append(page)
                    return {"records": page, "cursor": str(id(page)), "more": more}
                """#
            ),
            ("def load():", "seen, pages = {}, []\ndef load():")),
        ConformanceFault(
            "records are as their model says",
            (
                #"page = new[:params["limit"]]"#,
                #"page = [dict(i, record=dict(i["record"], rating="7")) for i in new if i.get("record")][:params["limit"]]"#
            )),
        ConformanceFault(
            "fetch answers every id",
            (
                #"for id in params["ids"]]}"#,
                #"for id in params["ids"] if f"{model}/{id}" in items]}"#
            )),
        ConformanceFault(
            "unknown fields are ignored",
            ("def pull(params):", "def pull(params, *extra):"),
            (
                "    data, after",
                #"""
                    if len(params) > 4: sys.exit("a field too many")
                    data, after
                """#
            )),
        ConformanceFault(
            "an unknown request is refused",
            (#"raise Refused("unsupported", request["method"])"#, #"sys.exit(request["method"])"#)),
        ConformanceFault(
            "cancel is answered in time",
            (
                "    data, after",
                #"""
                    if params["limit"] == 999: __import__("time").sleep(3)
                    data, after
                """#
            )),
        ConformanceFault(
            "every operation gets one verdict",
            (#"for op in params["ops"]]"#, #"for op in params["ops"][:3]]"#)),
        ConformanceFault(
            "what is written can be read",
            (
                #"**({"record": new} if new"#,
                #"**({"record": {k: str(v).lower().replace('"', "") for k, v in new.items()}} if new"#
            )),
        ConformanceFault(
            "an ok tells the version",
            (
                #"{"outcome": "ok", "version": data["seq"], "record": new}"#,
                #"{"outcome": "ok", "record": new}"#
            )),
        ConformanceFault(
            "values of every type are kept",
            stored(#"{k: str(v) if type(v) in (int, float) else v for k, v in new.items()}"#)),
        ConformanceFault(
            "values of every type are kept",
            stored("{k: v for k, v in new.items() if not isinstance(v, dict)}")),
        ConformanceFault(
            "values of every type are kept",
            stored(
                "json.loads(json.dumps(new).encode().decode('unicode_escape', 'replace'), strict=False) "
                    + "if 'Gr' in str(new) else new")),
        ConformanceFault(
            "empty and zero values are kept", stored("{k: v for k, v in new.items() if v}")),
        ConformanceFault(
            "texts stay texts and numbers numbers",
            stored("{k: int(v) if str(v).isdigit() else v for k, v in new.items()}")),
        ConformanceFault(
            "large numbers and long texts are kept",
            stored("{k: int(float(v)) if type(v) is int else v for k, v in new.items()}")),
        ConformanceFault(
            "large numbers and long texts are kept",
            stored("{k: v[:255] if type(v) is str else v for k, v in new.items()}")),
        ConformanceFault(
            "lists keep their order",
            stored("{k: sorted(v) if type(v) is list else v for k, v in new.items()}")),
        ConformanceFault(
            "lists keep their order",
            stored("{k: list(dict.fromkeys(v)) if type(v) is list else v for k, v in new.items()}")),
        ConformanceFault(
            "null clears a field",
            (
                #"op["kind"], op["set"] or {}"#,
                #"op["kind"], {k: v for k, v in op["set"].items() if v is not None}"#
            )),
        ConformanceFault(
            "null clears a field",
            (
                #"{**(record or {}), **fields}"#,
                #"{**(record or {}), **fields} if None not in fields.values() else fields"#
            )),
        ConformanceFault(
            "a required field is never null",
            (#"value is None and field["required"] and"#, #"value == "" and"#)),
        ConformanceFault(
            "a required field is never null",
            (#"else fields if kind == "update" else {**known, **fields}:"#, "else fields:")),
        ConformanceFault(
            "the same key twice is one effect",
            (#"op["key"] in data["keys"] or kind"#, "kind"),
            (
                #"if op["base_version"] != version if record else kind == "update":"#,
                #"if record and op["base_version"] not in (version, version - 1, version - 2):"#
            )),
        ConformanceFault(
            "a stale base conflicts",
            (#"if op["base_version"] != version if record else kind == "update":"#, "if False:")),
        ConformanceFault(
            "a bad field is rejected and named",
            (#""rejected", "field": name, "#, #""rejected", "#)),
        ConformanceFault(
            "a delta misses nothing",
            (#"item["version"] > after]"#, #"item["version"] > after and item["version"] % 4]"#)),
        ConformanceFault(
            "a deletion is a tombstone",
            (
                #"item["version"] > after]"#,
                #"item["version"] > after and not item.get("deleted")]"#
            )),
        ConformanceFault(
            "it exits at the end of its input",
            (
                "    print(json.dumps({\"jsonrpc\": \"2.0\", \"id\": request[\"id\"], **answer}), flush=True)\n",
                "    print(json.dumps({\"jsonrpc\": \"2.0\", \"id\": request[\"id\"], **answer}), flush=True)\n"
                    + "__import__(\"time\").sleep(60)\n"
            )),
    ]

    /// What makes the template tell of changes once a second.
    static let events: [(old: String, new: String)] = [
        (#""ping": True},"#, #""ping": True, "events": True},"#),
        (#""ping": lambda _: {}, "#, #""ping": lambda _: {}, "subscribe": subscribe, "#),
        ("for request in map(json.loads, sys.stdin):", "for request in map(json.loads, lines()):"),
        (
            "def fetch(params):",
            #"""
            import select
            subscribed, told = [], 0

            def subscribe(params):
                global subscribed, told
                subscribed, told = params["models"], load()["seq"]
                return {}

            def announce():
                global told
                data = load()
                items = [item for item in data["items"].values() if item["version"] > told]
                told = data["seq"]
                if len(items) > 50: return tell("gap", {})
                for item in items:
                    if item["model"] in subscribed: tell("event", item)

            def tell(method, params):
                print(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}), flush=True)

            def lines():
                buffer = b""
                while True:
                    if not select.select([0], [], [], 0.2 if subscribed else None)[0]: announce()
                    elif data := os.read(0, 65536):
                        *whole, buffer = (buffer + data).split(b"\n")
                        yield from whole
                    else: return

            def fetch(params):
            """#
        ),
    ]

    static let silences = [
        ConformanceFault(
            "events tell of changes", (#"tell("event", item)"#, "pass"),
            (#"return tell("gap", {})"#, "return")),
        ConformanceFault(
            "events are hints",
            (#"tell("event", item)"#, #"tell("event", item); hidden.add(item["id"])"#),
            ("subscribed, told = [], 0", "subscribed, told, hidden = [], 0, set()"),
            (
                #"item["version"] > after]"#,
                #"item["version"] > after and item["id"] not in hidden]"#
            )),
        ConformanceFault(
            "lost events are a gap", (#"return tell("gap", {})"#, "items = items[:50]")),
    ]
}
