"""Fake Hugging Face hub on the loopback address, in memory: the endpoints of a push and
a pull, including large files."""

import base64
import contextlib
import hashlib
import http.server
import json
import re
import threading
import urllib.parse

LARGE = (".h5", ".npz")  # stored by Git LFS
LICENCES = ("apache-2.0", "mit")
REPOSITORY = r"([\w.-]+/[\w.-]+)"
ROUTES = [  # method, path, name of a method of `_Handler`
    ("POST", "/api/repos/create", "create"),
    ("POST", "/api/validate-yaml", "validate"),
    ("GET", f"/api/models/{REPOSITORY}/revision/(.+)", "describe"),
    ("GET", f"/api/models/{REPOSITORY}/tree/([^/]+)/?", "list_tree"),
    ("POST", f"/api/models/{REPOSITORY}/branch/(.+)", "branch"),
    ("POST", f"/api/models/{REPOSITORY}/preupload/(.+)", "choose_modes"),
    ("POST", f"/api/models/{REPOSITORY}/commit/(.+)", "commit"),
    ("POST", f"/{REPOSITORY}.git/info/lfs/objects/batch", "place_large"),
    ("PUT", "/large/([0-9a-f]+)", "store_large"),
    ("GET", f"/{REPOSITORY}/resolve/([^/]+)/(.+)", "download"),
]


class Hub(http.server.ThreadingHTTPServer):
    """HTTP server with repositories.

    Args:
        token: token of the only user.

    Attributes:
        branches: `{repository: {branch: commit}}`.
        commits: `{commit: {path: bytes}}`.
        private: names of private repositories.
        requests: received requests, such as "GET /api/...".
        change_tree: function that modifies the list of a tree's entries.
        failure: status of every response; `None` for normal responses.
        silent: part of the paths whose requests get no response.
        dripping: part of the paths whose responses have ten bytes per second.
        slow_headers: the same for the headers of responses.
    """

    daemon_threads = True

    def __init__(self, token):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.token = token
        self.branches, self.commits, self.large = {}, {}, {}
        self.private, self.requests = set(), []
        self.change_tree, self.failure = list, None
        self.silent, self.dripping, self.released = None, None, threading.Event()
        self.slow_headers = None
        self.endpoint = f"http://127.0.0.1:{self.server_port}"

    def add(self, name, branch, files):
        """Adds a commit and returns its hash."""
        text = json.dumps([len(self.commits), name, branch, sorted(files)])
        commit = hashlib.sha1(text.encode()).hexdigest()
        self.commits[commit] = dict(files)
        self.branches.setdefault(name, {})[branch] = commit
        return commit

    def files(self, name, revision="main"):
        """Returns `{path: bytes}` of a revision."""
        return self.commits[self.branches[name].get(revision, revision)]


@contextlib.contextmanager
def serve_hub(token):
    """Runs a `Hub` inside the context."""
    hub = Hub(token)
    threading.Thread(target=hub.serve_forever, daemon=True).start()
    yield hub
    hub.shutdown()
    hub.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length) if length else self._read_chunks()
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        hub, method = self.server, "GET" if self.command == "HEAD" else self.command
        hub.requests.append(f"{self.command} {path}")
        self.is_user = self.headers.get("Authorization") == f"Bearer {hub.token}"
        if hub.silent and hub.silent in path:
            hub.released.wait()
            self.close_connection = True
            return None
        if hub.slow_headers and hub.slow_headers in path:
            for byte in b"HTTP/1.1 200 OK\r\nA: " + 6000 * b"a":
                self.wfile.write(bytes([byte]))
                if hub.released.wait(0.1):
                    break
            self.close_connection = True
            return None
        if hub.failure:  # the response quotes the token
            text = f"not for {self.headers.get('Authorization')}"
            return self.answer({"error": text}, hub.failure, {"X-Error-Message": text})
        for known, pattern, name in ROUTES:
            match = re.fullmatch(pattern, path)
            if match and known == method:
                return self.answer_allowed(name, match.groups())
        self.answer({"error": f"no route for {path}"}, 501)

    do_GET = do_HEAD = do_PUT = do_POST

    def log_message(self, *_):
        pass

    def answer_allowed(self, name, parts):
        writes = self.command in ("POST", "PUT") and name not in (
            "store_large",
            "validate",
        )
        if writes and not self.is_user:
            return self.answer({"error": "Invalid username or password."}, 401)
        if parts and "/" in parts[0] and not self.may_read(parts[0]):
            return self.fail("RepoNotFound", 401 if not self.is_user else 404)
        getattr(self, name)(*parts)

    def may_read(self, name):
        hub = self.server
        return name in hub.branches and (self.is_user or name not in hub.private)

    def answer(self, content, status=200, headers=None):
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for key, value in {"Content-Length": len(data), **(headers or {})}.items():
            self.send_header(key, str(value))
        self.end_headers()
        if self.command == "HEAD":
            return
        hub = self.server
        drips = hub.dripping and hub.dripping in urllib.parse.unquote(self.path)
        for start in range(len(data) if drips else 1):
            self.wfile.write(data[start : start + 1] if drips else data)
            if drips and hub.released.wait(0.1):
                self.close_connection = True
                return

    def fail(self, code, status=404):
        self.answer({"error": code}, status, {"X-Error-Code": code})

    def _read_chunks(self):
        data = b""
        while self.headers.get("Transfer-Encoding") == "chunked":
            size = int(self.rfile.readline(), 16)
            data += self.rfile.read(size)
            self.rfile.readline()
            if not size:
                break
        return data

    def find_commit(self, name, revision):
        branches = self.server.branches[name]
        commit = branches.get(revision, revision)
        return commit if commit in self.server.commits else None

    def create(self):
        wanted, hub = json.loads(self.body), self.server
        name = f"{wanted['organization']}/{wanted['name']}"
        url = {"url": f"{hub.endpoint}/{name}"}
        if name in hub.branches:
            return self.answer(url, 409)
        hub.add(name, "main", {".gitattributes": b"*.h5 filter=lfs\n"})
        if wanted.get("visibility") == "private" or wanted.get("private"):
            hub.private.add(name)
        self.answer(url)

    def validate(self):
        content = json.loads(self.body)["content"]
        licence = re.search("^license: (.*)$", content, re.MULTILINE)
        fine = licence is None or licence[1] in LICENCES
        error = {"message": '"license" must be one of [apache-2.0, mit, ...]'}
        self.answer({"errors": [] if fine else [error]}, 200 if fine else 400)

    def describe(self, name, revision):
        commit = self.find_commit(name, revision)
        if commit is None:
            return self.fail("RevisionNotFound")
        private = name in self.server.private
        self.answer({"id": name, "sha": commit, "private": private, "siblings": []})

    def list_tree(self, name, revision):
        entries = [
            {"type": "file", "path": path, "size": len(data), "oid": _name_blob(data)}
            | ({"lfs": _describe_large(data)} if path.endswith(LARGE) else {})
            for path, data in self.server.commits[revision].items()
        ]
        self.answer(self.server.change_tree(entries))

    def branch(self, name, branch):
        hub = self.server
        if branch in hub.branches[name]:
            return self.answer({"error": "there already"}, 409)
        start = json.loads(self.body).get("startingPoint", "main")
        hub.branches[name][branch] = self.find_commit(name, start)
        self.answer({})

    def choose_modes(self, name, revision):
        files = [
            {
                "path": file["path"],
                "uploadMode": "lfs" if file["path"].endswith(LARGE) else "regular",
                "shouldIgnore": False,
            }
            for file in json.loads(self.body)["files"]
        ]
        self.answer({"files": files})

    def place_large(self, name):
        objects = json.loads(self.body)["objects"]
        for large in objects:
            place = f"{self.server.endpoint}/large/{large['oid']}"
            large["actions"] = {"upload": {"href": place}}
        self.answer({"transfer": "basic", "objects": objects})

    def store_large(self, oid):
        if hashlib.sha256(self.body).hexdigest() != oid:  # incomplete
            return self.answer({"error": "another SHA-256"}, 400)
        self.server.large[oid] = self.body
        self.answer({})

    def commit(self, name, branch):
        hub = self.server
        files = dict(hub.commits[hub.branches[name][branch]])
        for line in self.body.splitlines():
            entry = json.loads(line)
            key, value = entry["key"], entry["value"]
            if key == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif key == "lfsFile":
                files[value["path"]] = hub.large[value["oid"]]
            elif key == "deletedFile":
                del files[value["path"]]
        commit = hub.add(name, branch, files)
        url = f"{hub.endpoint}/{name}/commit/{commit}"
        self.answer({"commitUrl": url, "commitOid": commit})

    def download(self, name, revision, path):
        commit = self.find_commit(name, revision)
        data = self.server.commits.get(commit, {}).get(path)
        if data is None:
            return self.fail("EntryNotFound")
        etag = f'"{hashlib.sha256(data).hexdigest()}"'
        self.answer(data, headers={"X-Repo-Commit": commit, "ETag": etag})


def _name_blob(data):
    """The name that git gives a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def _describe_large(data):
    sha256 = hashlib.sha256(data).hexdigest()
    return {"oid": sha256, "size": len(data), "pointerSize": 134}
