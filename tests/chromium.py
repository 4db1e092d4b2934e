"""A page in Chromium, watched through its debugging protocol."""

import asyncio
import base64
import json
import subprocess
import time
from dataclasses import dataclass, field
from urllib.request import urlopen

from tornado.websocket import websocket_connect

CHROMIUM = "/usr/bin/chromium"
DRAWN = """
(() => {
  const charts = [...document.querySelectorAll(".chart")];
  return charts.filter((c) => c.dataset.drawn).length === charts.length && document.readyState;
})()
"""


@dataclass
class Visit:
    """What a page did while it was open."""

    requests: list = field(default_factory=list)
    messages: list = field(default_factory=list)
    values: dict = field(default_factory=dict)
    picture: bytes = b""


def visit(
    url, folder, *, steps=(), questions=(), scheme="light", width=1200, picture=False, seconds=60
):
    """Open a page, wait until its figures are drawn, ask it questions in JavaScript.

    A step is what to do first and what to wait for then, both in JavaScript; it may lead to
    another page. What begins with "drag:" returns places that the pressed mouse goes along, what
    begins with "keys:" names keys.
    """
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--hide-scrollbars",
        f"--user-data-dir={folder}",
        "--remote-debugging-port=0",
        "about:blank",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + seconds
        port_file = folder / "DevToolsActivePort"
        while not port_file.exists() or not port_file.read_text().count("\n"):
            if time.monotonic() > deadline:
                raise TimeoutError("Chromium did not start.")
            time.sleep(0.05)
        port = port_file.read_text().splitlines()[0]
        with urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
            pages = json.load(answer)
        socket = next(p["webSocketDebuggerUrl"] for p in pages if p["type"] == "page")
        look = (url, steps, questions, scheme, width, picture, deadline)
        return asyncio.run(_connected(socket, look))
    finally:
        process.terminate()
        process.wait(20)


async def _connected(socket, look):
    page = await websocket_connect(socket, max_message_size=1 << 28)
    try:
        return await _look(page, *look)
    finally:
        page.close()
        while await page.read_message() is not None:
            pass  # until the other side has let go, too


async def _look(page, url, steps, questions, scheme, width, picture, deadline):
    found = Visit()
    number = 0

    async def call(method, **parameters):
        nonlocal number
        number += 1
        await page.write_message(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            left = deadline - time.monotonic()
            message = json.loads(await asyncio.wait_for(page.read_message(), max(left, 0.1)))
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]
            _note(found, message)

    async def ask(expression):
        answer = await call("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"].get("value")

    async def drag(places):
        kinds = ["mousePressed", *["mouseMoved"] * (len(places) - 1), "mouseReleased"]
        for kind, (x, y) in zip(kinds, [*places, places[-1]], strict=True):
            held = {"button": "left", "buttons": 1, "clickCount": 1}
            await call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **held)

    async def press(name):
        text = {"Enter": "\r", "Space": " "}.get(name, name if len(name) == 1 else "")
        key = {"key": " " if name == "Space" else name, "text": text}
        for kind in ("keyDown", "keyUp"):
            await call("Input.dispatchKeyEvent", type=kind, **key)

    async def holds(wanted):
        try:
            return await ask(f"document.readyState === 'complete' && ({wanted})") is True
        except RuntimeError:  # between two pages
            return False

    for domain in ("Page", "Network", "Runtime", "Log"):
        await call(f"{domain}.enable")
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    await call("Emulation.setEmulatedMedia", features=media)
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    await call("Emulation.setDeviceMetricsOverride", **size)
    await call("Page.navigate", url=url)
    for action, wanted in [("", f"({DRAWN}) === 'complete'"), *steps]:
        kind, _, rest = action.partition(":")
        if kind == "drag":
            await drag(await ask(rest))
        elif kind == "keys":
            for name in rest.split():
                await press(name)
        else:
            done = await call("Runtime.evaluate", expression=action)
            assert "exceptionDetails" not in done, action
        while not await holds(wanted):
            if time.monotonic() > deadline:
                raise TimeoutError(f"Waited in vain for {wanted}")
            await asyncio.sleep(0.1)
    await asyncio.sleep(0.3)  # whatever a page loads late
    for question in questions:
        found.values[question] = await ask(question)
    if picture:
        shot = await call("Page.captureScreenshot", captureBeyondViewport=True)
        found.picture = base64.b64decode(shot["data"])
    return found


def _note(found, message):
    """Keep requests, and what a page complains about."""
    method, parameters = message.get("method"), message.get("params", {})
    if method == "Network.requestWillBeSent":
        found.requests.append(parameters["request"]["url"])
    elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
        found.messages.append(str([each.get("value") for each in parameters["args"]]))
    elif method == "Runtime.exceptionThrown":
        found.messages.append(parameters["exceptionDetails"]["text"])
    elif method == "Log.entryAdded":
        found.messages.append(parameters["entry"]["text"])
