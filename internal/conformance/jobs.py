"""The main job as programs written with the Python client do it: see jobs.mjs."""

import asyncio
import json
import re
import sys
import time
import traceback

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def server(run, token):
    if run["program"]:
        env = {"NOD_URL": run["url"], "NOD_TOKEN": token, "HOME": run["home"], "XDG_CONFIG_HOME": run["home"]}
        return StdioServerParameters(command=run["program"], args=["mcp"], env=env)
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30)
    return streamable_http_client(run["url"] + "/mcp", http_client=http)


async def call(client, name, arguments, **options):
    result = await client.call_tool(name, arguments, **options)
    return {
        "text": "\n".join(c.text for c in result.content),
        "error": bool(result.is_error),
        "structured": result.structured_content is not None,
    }


async def job(run):
    async with Client(server(run, run["patient"]), mode=run["mode"]) as patient, Client(server(run, run["hasty"]), mode=run["mode"]) as hasty:
        told = {"version": patient.protocol_version, "instructions": patient.instructions or "", "progress": []}
        told["tools"] = [tool.name for tool in (await patient.list_tools()).tools]
        told["confirmed"] = await call(patient, "phone_action", {"action": "torch", "on": True})
        told["declined"] = await call(patient, "phone_action", {"action": "dial", "number": "+351 21 123 4567"})

        told["refused"] = await call(patient, "phone_action", {"action": "add_stop"})
        told["unknown"] = await call(patient, "order_pizza", {})

        async def progress(_done, _total, message):
            told["progress"].append(message or "")

        told["slow"] = await call(patient, "phone_action", {"action": "timer", "seconds": 300}, progress_callback=progress)

        told["waiting"] = await call(hasty, "phone_action", {"action": "media", "command": "play"})
        found = re.search(r"call_id (\w+)", told["waiting"]["text"])
        while True:
            told["waited"] = await call(hasty, "call_status", {"call_id": found.group(1) if found else ""})
            if not told["waited"]["text"].startswith("STILL WAITING"):
                break

        shown = asyncio.Event()

        async def until_shown(_done, _total, message):
            if message == run["shown"]:
                shown.set()

        asked = asyncio.create_task(call(patient, "phone_action", {"action": "alarm", "time": "07:30"}, progress_callback=until_shown))
        await asyncio.wait_for(shown.wait(), 10)
        asked.cancel()
        try:
            told["cancelled"] = (await asked)["text"]
        except asyncio.CancelledError:
            told["cancelled"] = "thrown"
        late = time.monotonic() + 5
        while True:
            told["left"] = (await call(patient, "call_status", {}))["text"]
            if "call_" not in told["left"] or time.monotonic() > late:
                return told


async def tell(run):
    try:
        told = await job(run)
    except BaseException:  # also the groups that anyio makes
        told = {"failed": traceback.format_exc()}
    print(json.dumps({"name": run["name"], **told}), flush=True)


async def main():
    await asyncio.gather(*(tell(run) for run in json.load(sys.stdin)))


asyncio.run(main())
