import Platform
import Testing

/// A backend that wants a user's name and a token, in Python.
enum VaultPlugin {
    static let text = """
        #!/usr/bin/env python3
        import json, sys
        secrets = {}
        for line in sys.stdin:
            request = json.loads(line)
            method, params = request["method"], request.get("params", {})
            answer, error = {}, None
            if method == "initialize":
                secrets = params["secrets"]
                answer = {"protocol": 1, "plugin": {"name": "vault", "version": "2.1"},
                          "capabilities": {"ping": True, "pull": {"delta": True}},
                          "identity": "vault-1"}
            if method == "configure":
                answers = params["answers"]
                if "url" not in answers:
                    answer = {"key": "url", "label": "Address", "default": "https://example.com"}
                elif "user" not in answers:
                    answer = {"key": "user", "label": "User name", "secret": True}
                elif "token" not in answers:
                    answer = {"key": "token", "label": "Token", "secret": True}
                else:
                    answer = {"done": True, "config": answers}
            if method == "pull":
                answer = {"records": [], "more": False, "cursor": "1"}
            if method == "pull" and secrets.get("token") == "s3cret":
                print(json.dumps({"jsonrpc": "2.0", "method": "secret", "params":
                    {"key": "token", "value": "s3cret-renewed", "expires_at": None}}), flush=True)
            if method == "ping" and secrets.get("token") == "s3cret-away":
                error = {"code": 1, "message": "the line is dead", "data": {"kind": "retryable"}}
            if (method in ("ping", "pull")
                    and not str(secrets.get("token")).startswith("s3cret")):
                error = {"code": 1, "message": "no such token: " + str(secrets.get("token")),
                         "data": {"kind": "auth"}}
            reply = {"jsonrpc": "2.0", "id": request["id"]}
            reply.update({"error": error} if error else {"result": answer})
            print(json.dumps(reply), flush=True)

        """

    /// A home in which it is installed, with a workspace that uses it.
    static func home() throws -> SatchelHome {
        let home = try SatchelHome()
        try home.write(".local/share/satchel/plugins/satchel-backend-vault", text, mode: 0o755)
        let run = try home.satchel("init", "--backend", "vault")
        try #require(run.code == 0, "\(run)")
        return home
    }
}
