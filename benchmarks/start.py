"""How long a second start takes: until the first page answers, and until the address is printed.

    python benchmarks/start.py

Run `python dev.py run` once before, so that everything is installed. Target: the first page within 3 s.
"""

import http.client
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STARTS = 5


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def one_start() -> tuple[float, float]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    begin = time.perf_counter()
    command = [sys.executable, "dev.py", "run", "--headless", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        while not answers(port):
            time.sleep(0.01)
        page = time.perf_counter() - begin
        assert process.stdout is not None
        while "runs at" not in process.stdout.readline():
            pass
        return page, time.perf_counter() - begin
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    print("first page   address printed")
    for _ in range(STARTS):
        page, address = one_start()
        print(f"{page:8.2f} s   {address:13.2f} s")
