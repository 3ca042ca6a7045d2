use crate::support::{Project, references, symbols};

const INIT: &str = r#""""A tiny client.

More about it.
"""

from .models import Session, Reply as Answer
from . import errors

__all__ = ["Session"]
"#;

const MODELS: &str = r#"# Licensed under the Apache License.
"""Sessions and replies."""

from __future__ import annotations

import json
import typing as t

from .errors import TooLong, Failure
from .transport import Transport

#: Longest line.
LIMIT = 100
_private: int = 3


class Reply:
    """What came back."""

    status: int = 0
    text: str

    def json(self) -> dict:
        return json.loads(self.text)


class Session(Base, t.Generic[T]):
    """Keeps a connection.

    :param url: where to.
    """

    def __init__(self, url: str, transport: Transport | None = None):
        self.transport = transport or Transport()
        self.url = url
        self.parser = Parser()

    @t.overload
    def get(self, path: str) -> Reply: ...

    def get(self, path):
        """Fetches a path."""
        if len(path) > LIMIT:
            raise TooLong(f"path of {len(path)} characters"
                          " is too long")
        reply = self._send("GET", path)
        return reply

    @property
    def name(self):
        return self.url

    async def _send(self, method: str, path: str) -> Reply:
        self.parser.feed(path)
        result = self.transport.exchange(method, path)
        if result is None:
            raise Failure
        for json in result:
            json.dump()
        return Reply()

    def parse_all(self, parser):
        def inner():
            pass
        inner()
        raise ValueError("no " + self.url + " here")


class Parser:
    def feed(self, text):
        pass


def helper(reply: "Reply", get):
    get()
    return reply.json()


if __name__ == "__main__":
    helper(Session("x").get("/"))
"#;

const ERRORS: &str = r#"class Failure(Exception):
    """Something failed."""


class TooLong(Failure):
    pass
"#;

const TRANSPORT: &str = r#"class Transport:
    def exchange(self, method, path):
        raise NotImplementedError("exchange")
"#;

const TEST: &str = r#"import tiny
from tiny.models import helper as aid


def test_get():
    session = tiny.Session("x")
    session.get("/")
    aid(tiny.Answer())
    tiny.errors.Failure()
"#;

fn project() -> Project {
    Project::new(&[
        ("pyproject.toml", "[project]\nname = \"tiny\"\n[project.scripts]\ntiny = \"tiny.models:helper\"\n"),
        ("src/tiny/__init__.py", INIT),
        ("src/tiny/models.py", MODELS),
        ("src/tiny/errors.py", ERRORS),
        ("src/tiny/transport.py", TRANSPORT),
        ("tests/test_models.py", TEST),
    ])
}

#[test]
fn declarations_are_understood() {
    println!("{}", symbols(&project().scan()));
    println!("{}", references(&project().scan()));
}
