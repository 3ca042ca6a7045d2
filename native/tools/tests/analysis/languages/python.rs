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
        (
            "pyproject.toml",
            "[project]\nname = \"tiny\"\n[project.scripts]\ntiny = \"tiny.models:helper\"\n",
        ),
        ("src/tiny/__init__.py", INIT),
        ("src/tiny/models.py", MODELS),
        ("src/tiny/errors.py", ERRORS),
        ("src/tiny/transport.py", TRANSPORT),
        ("tests/test_models.py", TEST),
    ])
}

const SYMBOLS: &str = r##"
src/tiny/errors.py:1 [1-2] Class Failure exported
  class Failure(Exception)
  doc 2-2: Something failed.
src/tiny/errors.py:5 [5-6] Class TooLong exported
  class TooLong(Failure)
src/tiny/models.py:13 [13-13] Constant LIMIT exported
  LIMIT = 100
  doc 12-12: Longest line.
src/tiny/models.py:14 [14-14] Constant _private
  _private: int = 3
src/tiny/models.py:17 [17-24] Class Reply exported
  class Reply
  doc 18-18: What came back.
  member status@20
  member text@21
src/tiny/models.py:23 [23-24] Method Reply.json exported
  def json(self) -> dict
src/tiny/models.py:27 [27-66] Class Session exported
  class Session(Base, t.Generic[T])
  doc 28-30: Keeps a connection. /  / :param url: where to.
src/tiny/models.py:33 [33-36] Method Session.__init__ exported
  def __init__(self, url: str, transport: Transport | None = None)
src/tiny/models.py:41 [41-47] Method Session.get exported
  def get(self, path)
  doc 42-42: Fetches a path.
  fails TooLong@44 "path of {len(path)} characters is too long"
src/tiny/models.py:50 [50-51] Method Session.name exported
  def name(self)
src/tiny/models.py:53 [53-60] Method Session._send
  async def _send(self, method: str, path: str) -> Reply
  fails Failure@57
src/tiny/models.py:62 [62-66] Method Session.parse_all exported
  def parse_all(self, parser)
  fails ValueError@66 "no … here"
src/tiny/models.py:69 [69-71] Class Parser exported
  class Parser
src/tiny/models.py:70 [70-71] Method Parser.feed exported
  def feed(self, text)
src/tiny/models.py:74 [74-76] Function helper exported
  def helper(reply: "Reply", get)
src/tiny/transport.py:1 [1-3] Class Transport exported
  class Transport
src/tiny/transport.py:2 [2-3] Method Transport.exchange exported
  def exchange(self, method, path)
  fails NotImplementedError@3 "exchange"
tests/test_models.py:5 [5-9] Function test_get exported test
  def test_get()
"##;

const REFERENCES: &str = r##"
src/tiny/__init__.py:6 - Import src/tiny/models.py Reply
src/tiny/__init__.py:6 - Import src/tiny/models.py Session
src/tiny/errors.py:5 TooLong Extends src/tiny/errors.py Failure
src/tiny/models.py:9 - Import src/tiny/errors.py Failure
src/tiny/models.py:9 - Import src/tiny/errors.py TooLong
src/tiny/models.py:10 - Import src/tiny/transport.py Transport
src/tiny/models.py:33 Session.__init__ Use src/tiny/transport.py Transport
src/tiny/models.py:34 Session.__init__ Call src/tiny/transport.py Transport
src/tiny/models.py:36 Session.__init__ Call src/tiny/models.py Parser
src/tiny/models.py:39 Session Use src/tiny/models.py Reply
src/tiny/models.py:43 Session.get Use src/tiny/models.py LIMIT
src/tiny/models.py:44 Session.get Call src/tiny/errors.py TooLong
src/tiny/models.py:46 Session.get Call src/tiny/models.py Session._send
src/tiny/models.py:53 Session._send Use src/tiny/models.py Reply
src/tiny/models.py:54 Session._send Call src/tiny/models.py Parser.feed
src/tiny/models.py:55 Session._send Call src/tiny/transport.py Transport.exchange
src/tiny/models.py:57 Session._send Use src/tiny/errors.py Failure
src/tiny/models.py:60 Session._send Call src/tiny/models.py Reply
src/tiny/models.py:74 helper Use src/tiny/models.py Reply
src/tiny/models.py:76 helper Call src/tiny/models.py Reply.json
src/tiny/models.py:80 - Call src/tiny/models.py Session
src/tiny/models.py:80 - Call src/tiny/models.py Session.get
src/tiny/models.py:80 - Call src/tiny/models.py helper
tests/test_models.py:2 - Import src/tiny/models.py helper
tests/test_models.py:6 test_get Call src/tiny/models.py Session
tests/test_models.py:7 test_get Call src/tiny/models.py Session.get
tests/test_models.py:8 test_get Call src/tiny/models.py Reply
tests/test_models.py:8 test_get Call src/tiny/models.py helper
tests/test_models.py:9 test_get Call src/tiny/errors.py Failure
"##;

#[test]
fn declarations_are_understood() {
    assert_eq!(symbols(&project().scan()).trim(), SYMBOLS.trim());
}

#[test]
fn uses_lead_to_the_declarations_that_they_mean() {
    assert_eq!(references(&project().scan()).trim(), REFERENCES.trim());
}
