"""The answers of krmkit preview: only for its own page, with headers that keep others out."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from krmkit.cli import main
from krmkit.fn.run import RunOptions
from krmkit.render.resolve import ProgramResolver
from krmkit.services.preview.app import Preview
from krmkit.services.preview.package import PreviewPackage
from tests.unit.cli.packages import contents

HOST, TOKEN = "127.0.0.1:8123", "t0ken"
GOOD = {"host": HOST, "authorization": f"Bearer {TOKEN}", "origin": f"http://{HOST}"}
CHOICE: dict[str, Any] = {"choices": {"pipeline.mutators[0]": {"app": []}}}


class Client:
    """Calls the application as a server would."""

    def __init__(self, package: Path) -> None:
        options = RunOptions()
        options.explain = True
        self.app = Preview(PreviewPackage(str(package), ProgramResolver(options)), TOKEN).app([HOST])

    def __call__(
        self, method: str, path: str, headers: dict[str, str], body: bytes = b"", query: str = ""
    ) -> tuple[int, dict[str, str], str]:
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8123),
        }
        asyncio.run(self.app(scope, receive, send))
        text = b"".join(one.get("body", b"") for one in sent[1:]).decode()
        return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}, text


@pytest.fixture
def client(package: Path) -> Client:
    return Client(package)


def test_the_page(client: Client) -> None:
    """With the token in its address; it may not be framed or kept, and talks to nobody else."""
    status, headers, text = client("GET", "/", {"host": HOST}, query=f"token={TOKEN}")

    assert status == 200 and "krmkit report" in text
    assert "connect-src 'self'" in text and "default-src 'none'" in text
    assert headers["content-security-policy"] == "frame-ancestors 'none'"
    assert (headers["cache-control"], headers["x-frame-options"]) == ("no-store", "DENY")
    assert headers["referrer-policy"] == "no-referrer"


def without(name: str) -> dict[str, str]:
    return {key: value for key, value in GOOD.items() if key != name}


REFUSED = [
    pytest.param(without("authorization"), id="no token"),
    pytest.param({**GOOD, "authorization": "Bearer wrong"}, id="a wrong token"),
    pytest.param({**GOOD, "authorization": "Bearer t\u00f6ken"}, id="a token that is not ASCII"),
    pytest.param({**GOOD, "origin": "http://evil.example"}, id="another origin"),
    pytest.param({**GOOD, "origin": "null"}, id="an origin that hides"),
    pytest.param({**GOOD, "origin": "http://127.0.0.1:9999"}, id="another port"),
    pytest.param({**GOOD, "origin": f"https://{HOST}"}, id="another scheme"),
    pytest.param(without("origin"), id="no origin"),
    pytest.param({**GOOD, "host": "evil.example:8123"}, id="another host, as after DNS rebinding"),
    pytest.param({**GOOD, "host": "127.0.0.1"}, id="no port"),
    pytest.param(without("host"), id="no host"),
    pytest.param({**GOOD, "sec-fetch-site": "cross-site"}, id="another site"),
]


@pytest.mark.parametrize("headers", REFUSED)
@pytest.mark.parametrize("path", ["/save", "/state"])
def test_others_are_refused(package: Path, client: Client, headers: dict[str, str], path: str) -> None:
    """They learn nothing, and nothing is written."""
    before = contents(package)

    status, _, text = client("POST", path, headers, json.dumps(CHOICE).encode())

    assert status == 403
    assert TOKEN not in text and "app" not in text
    assert contents(package) == before


def test_the_token_of_the_page_is_for_the_page(client: Client) -> None:
    """In an address it opens the page and nothing else."""
    assert client("GET", "/", {"host": HOST}, query="token=wrong")[0] == 403
    assert client("GET", "/mark", {"host": HOST}, query=f"token={TOKEN}")[0] == 403
    assert client("GET", "/mark", {"host": HOST, "authorization": f"Bearer {TOKEN}"})[0] == 200


BODIES = [
    pytest.param(b"{", 400, "must be JSON", id="no JSON"),
    pytest.param(b"[]", 400, "must be a JSON object", id="no object"),
    pytest.param(b'{"choices": 1}', 400, "choices must be an object", id="no choices"),
    pytest.param(b'{"choices": {"../../x": {}}}', 400, "no function", id="a path"),
    pytest.param(b" " * (1 << 21), 400, "at most", id="too long"),
    pytest.param(b'{"choices": {"\\ud800": {}}}', 400, "must be JSON", id="half a character"),
    pytest.param(b"[" * 100_000, 400, "JSON that is not nested so deeply", id="too deep"),
    pytest.param(json.dumps(CHOICE).encode(), 409, "Kptfile was changed on disk", id="no digest"),
]


@pytest.mark.parametrize(("body", "status", "said"), BODIES)
def test_bad_requests(package: Path, client: Client, body: bytes, status: int, said: str) -> None:
    """Each is answered with what is wrong, and writes nothing."""
    before = contents(package)

    found, _, text = client("POST", "/save", GOOD, body)

    assert found == status and said in json.loads(text)["problem"]
    assert contents(package) == before


@pytest.mark.parametrize("path", ["/Kptfile", "/../Kptfile", "/%2e%2e/etc/passwd", "/app.yaml", "/state/"])
def test_no_other_paths(client: Client, path: str) -> None:
    """There are no files to be had."""
    assert client("GET", path, GOOD)[0] in (404, 405, 307)


def test_try_and_save(package: Path, client: Client) -> None:
    """What is tried is answered, and written when it is saved."""
    status, _, text = client("POST", "/state", GOOD, json.dumps(CHOICE).encode())
    state = json.loads(text)
    assert status == 200 and state["edits"] == ["Kptfile"]
    before = contents(package)

    status, _, text = client("POST", "/save", GOOD, json.dumps({**CHOICE, "files": state["files"]}).encode())

    assert (status, json.loads(text)) == (200, {"written": ["Kptfile"]})
    after = contents(package)
    assert {path for path in after if after[path] != before[path]} == {"Kptfile"}


@pytest.mark.parametrize("words", [["no-such-package"], [".", "--port", "70000"]])
def test_wrong_calls(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They end at once, with 1."""
    monkeypatch.chdir(tmp_path)

    try:
        code = main(["preview", *words])
    except SystemExit as error:
        code = int(str(error.code))

    assert code == 1 and capsys.readouterr().err.startswith("krmkit preview: ")


def test_without_the_extra(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says what to install, and from where."""
    import sys

    for loaded in ("server", "app"):
        monkeypatch.delitem(sys.modules, f"krmkit.services.preview.{loaded}", raising=False)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)

    assert main(["preview", str(package)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("krmkit preview: needs starlette")
    assert said.endswith("pip install '.[preview]'\n")
