"""A server that answers as a test tells it to, whatever that does to its clients.

`liar_server.py` prints `{"port": N}` and ends with its standard input. `POST /__control` with
`{"lies": [...]}` says what it answers from then on: to each POST the first lie whose `document` is
in the request's body, or 404. `{"asked": TEXT}` tells how many requests had the text in them.

A lie has `body`, a text, and may have `status`, `headers`, `pad` and `times` (in place of `@PAD@` the
text `pad`, so many times, and in place of `@END@` as many closing brackets), `gzip` (so that the body
is packed), `endless` (the body comes again and again, in chunks, until the client hangs up), `cut` (the
connection ends after so many bytes), `hold` (it stays open after them, and nothing more comes). `@N@`
is the number of the request.
"""

import gzip
import http.server
import json
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lies: list[dict] = []
    requests: list[str] = []
    lock = threading.Lock()

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        if self.path == "/__control":
            return self.answer(200, {}, json.dumps(self.obey(json.loads(asked))).encode())
        with self.lock:
            self.requests.append(asked)
            number = len(self.requests)
        lie = next((lie for lie in self.lies if lie.get("document", "") in asked), None)
        if lie is None:
            return self.answer(404, {}, b"")
        try:
            self.tell(lie, number)
        except OSError:
            self.close_connection = True

    def obey(self, command: dict) -> dict:
        with self.lock:
            if "lies" in command:
                Handler.lies = command["lies"]
                Handler.requests = []
            return {"count": sum(command.get("asked", "") in each for each in self.requests)}

    def tell(self, lie: dict, number: int) -> None:
        text = lie.get("body", "").replace("@N@", str(number))
        text = text.replace("@PAD@", lie.get("pad", "") * lie.get("times", 1))
        text = text.replace("@END@", "]" * lie.get("times", 1))
        body = text.encode("utf-8", "surrogatepass")
        headers = {"Content-Type": "application/json", **lie.get("headers", {})}
        if lie.get("gzip"):
            body, headers["Content-Encoding"] = gzip.compress(body), "gzip"
        if lie.get("endless"):
            return self.stream(headers, body)
        if "cut" in lie or "hold" in lie:
            self.head(lie.get("status", 200), {**headers, "Content-Length": str(len(body))})
            self.wfile.write(body[:lie.get("cut", lie.get("hold"))])
            self.wfile.flush()
            if "hold" in lie:
                self.rfile.read(1)
            self.close_connection = True
            return
        self.answer(lie.get("status", 200), headers, body)

    def stream(self, headers: dict, body: bytes) -> None:
        self.head(200, {**headers, "Transfer-Encoding": "chunked"})
        while True:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))

    def head(self, status: int, headers: dict) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def answer(self, status: int, headers: dict, body: bytes) -> None:
        self.head(status, {**headers, "Content-Length": str(len(body))})
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        pass


def main() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_address[1]}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
