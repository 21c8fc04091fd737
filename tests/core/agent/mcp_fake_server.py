"""An MCP server in plain Python that writes down what it reads and writes, byte by byte, in `sys.argv[1]`.

It answers as servers before 2026 do (initialize), with keys in an order and spaces of its own.
"""

import json
import os
import sys
import time

TOOLS = [
    {"name": name, "inputSchema": {"type": "object"}, "description": f"Does {name}."}
    for name in ("echo", "fail", "die", "hang", "picture")
]
log = open(sys.argv[1], "ab")  # noqa: SIM115


def note(mark: bytes, line: bytes) -> None:
    log.write(mark + line)
    log.flush()


def result(method, params):
    if method == "initialize":
        info = {"name": "fake", "version": "0"}
        return {"serverInfo": info, "capabilities": {"tools": {}}, "protocolVersion": "2025-06-18"}
    if method == "tools/list":
        page = int(params.get("cursor") or 0)
        more = {"nextCursor": str(page + 1)} if page + 1 < len(TOOLS) else {}
        return {"tools": [TOOLS[page]], **more}
    text = json.dumps(params["arguments"], ensure_ascii=False)
    match params["name"]:
        case "fail":
            return {"isError": True, "content": [{"type": "text", "text": "out of paper"}]}
        case "die":
            os._exit(3)
        case "hang":
            time.sleep(60)
        case "picture":
            picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
            return {"content": [{"type": "text", "text": "here:"}, picture]}
    return {"content": [{"type": "text", "text": text}]}


for line in sys.stdin.buffer:
    note(b"> ", line)
    request = json.loads(line)
    if "id" not in request:
        continue
    answer = {"id": request["id"], "jsonrpc": "2.0"}
    if request["method"] == "server/discover":
        answer["error"] = {"message": "Method not found", "code": -32601}
    else:
        answer["result"] = result(request["method"], request.get("params") or {})
    written = (
        json.dumps(answer, indent=None, separators=(" ,  ", " : "), ensure_ascii=False) + "\n"
    ).encode()
    note(b"< ", written)
    sys.stdout.buffer.write(written)
    sys.stdout.buffer.flush()
