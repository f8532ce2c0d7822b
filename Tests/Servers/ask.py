"""One HTTP request: `ask.py METHOD URL [USER:PASSWORD [JSON]]`; prints `{"status", "body"}`."""

import base64
import json
import sys
import urllib.error
import urllib.request

method, url, login, body = (sys.argv[1:] + ["", ""])[:4]
request = urllib.request.Request(url, method=method)
if login:
    basic = base64.b64encode(login.encode()).decode()
    request.add_header("Authorization", f"Basic {basic}")
if body:
    request.data = body.encode()
    request.add_header("Content-Type", "application/json")
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    with opener.open(request, timeout=60) as answer:
        status, text = answer.status, answer.read()
except urllib.error.HTTPError as error:
    status, text = error.code, error.read()
print(json.dumps({"status": status, "body": json.loads(text or b"null")}))
