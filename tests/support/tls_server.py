"""Serves HTTPS on a free port, to whoever shows a certificate that it trusts: tls_server.py FOLDER
Prints the port; answers with the name in the client's certificate. Ends when it is told to."""
import http.server
import os
import ssl
import sys

CERTIFICATE, KEY = (os.path.join(sys.argv[1], name) for name in ("localhost.crt", "localhost.key"))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        names = [value for part in self.connection.getpeercert()["subject"] for _, value in part]
        body = ("hello, " + names[0]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE, KEY)
context.verify_mode = ssl.CERT_REQUIRED
context.load_verify_locations(CERTIFICATE)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
