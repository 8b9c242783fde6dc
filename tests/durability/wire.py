"""Plain HTTP to the server: one connection per user, and a clear difference between an answer and none."""

import http.client
import json


class NoAnswer(Exception):
    """The connection broke: whether the command was done is unknown."""


class Wire:
    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def send(self, method, path, body=None, headers=None):
        """The status and the decoded body of the answer."""
        content = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json", **(headers or {})} if content else headers or {}
        try:
            self.connection.request(method, "/v2" + path, content, headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise NoAnswer(str(error)) from error
        return answer.status, json.loads(text) if text else None

    def search(self, entity, conditions, limit=10_000, sort=()):
        status, found = self.send("POST", f"/{entity}/search",
                                  {"filter": conditions, "sort": list(sort), "page": {"limit": limit}})
        assert status == 200, found
        return found["items"]

    def deploy(self, path):
        boundary = "boundary-of-parts"
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="resources"; filename="{path.name}"\r\n\r\n'
        content = head.encode() + path.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        kind = {"content-type": f"multipart/form-data; boundary={boundary}"}
        self.connection.request("POST", "/v2/deployments", content, kind)
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text
