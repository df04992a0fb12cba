# SPDX-License-Identifier: GPL-2.0
"""A server on the loopback interface that answers requests as a test says."""
import collections
import http.server
import threading
import time

Request = collections.namedtuple("Request", "path headers body time")


class Store:
    """Takes a list of answers, (status, headers, body); after the last one it goes on with that. A word instead:
    "stall" answers nothing, "vanish" closes the connection within the answer, "endless" is a body of status 200
    without an end, "endless error" one of status 500."""

    def __init__(self, *answers, context=None):
        self.answers, self.requests = list(answers), []
        self.over = threading.Event()
        store = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                store.requests.append(Request(self.path, self.headers, body, time.monotonic()))
                answer = store.answers.pop(0) if len(store.answers) > 1 else store.answers[0]
                try:
                    self.answer(answer)
                except OSError:
                    pass
                self.close_connection = True

            def answer(self, answer):
                if answer == "stall":
                    store.over.wait(120)
                elif answer == "vanish":
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{")
                elif isinstance(answer, str):
                    self.wfile.write(b"HTTP/1.1 %d OK\r\nContent-Type: text/plain\r\n\r\n" % (500 if "error" in answer else 200))
                    while not store.over.is_set():
                        self.wfile.write(b"{ page \x1b[31m" * 1000)
                else:
                    status, headers, body = answer
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
