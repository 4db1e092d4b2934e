// The shell of a playground: state in the address, scenes from the lab, frames that are played.

const FRAME_MS = [40, 500]; // shortest and longest time that a frame is shown
const PLAY_MS = 9000; // a whole run takes about as long as this
const ADDRESS_MS = 250; // browsers allow only so many changes of the address

export class Stage {
  constructor() {
    this.root = document.querySelector("main.play");
    this.root.stage = this;
    this.name = this.root.dataset.name;
    this.controls = JSON.parse(document.querySelector("#controls").textContent);
    this.panels = this.root.querySelector(".panels");
    this.planes = [];
    this.scene = null;
    this.index = 0;
    this.playing = false;
    this.brush = 0;
    this.latencies = [];
    this.colours = new Map();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours.clear();
      this.draw();
    });
  }

  // Start with a function that draws: it gets the scene, a frame and the frame's number, and
  // returns the sentence for those who can't see the picture.
  start(drawing) {
    this.drawing = drawing;
    this.read(location.search);
    this.wireControls();
    this.wireTimeline();
    this.wirePage();
    this.ask();
  }

  // ---- state -----------------------------------------------------------------------------

  read(search) {
    const given = new URLSearchParams(search);
    this.values = {};
    for (const control of this.controls) {
      this.values[control.name] = parse(control, given.get(control.name) ?? control.start);
    }
    this.autoplay = given.get("play") === "yes";
  }

  query() {
    const parts = [];
    for (const control of this.controls) {
      const text = format(control, this.values[control.name]);
      if (text !== control.start) {
        parts.push(`${control.name}=${encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3B/g, ";")}`);
      }
    }
    return parts.join("&");
  }

  set(name, value) {
    this.values[name] = value;
    this.showControls();
    this.changed();
  }

  changed() {
    this.draw();
    this.ask();
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => {
      const query = this.query();
      history.replaceState(null, "", query ? `?${query}` : location.pathname);
    }, ADDRESS_MS);
  }

  // ---- scenes ----------------------------------------------------------------------------

  // One question is under way at a time; of those that come meanwhile only the last is asked.
  async ask() {
    this.wanted = true;
    if (this.asking) return;
    this.asking = true;
    while (this.wanted) {
      this.wanted = false;
      const start = performance.now();
      const slow = setTimeout(() => this.root.classList.add("waiting"), 300);
      try {
        const answer = await fetch(`/play/${this.name}/scene?${this.query()}`);
        const scene = await answer.json();
        if (scene.error) this.complain(scene.error);
        else this.show(scene);
      } catch (error) {
        this.complain("The lab does not answer; if it was closed, start `shallows lab` again.");
      }
      clearTimeout(slow);
      this.root.classList.remove("waiting");
      this.latencies.push(performance.now() - start);
    }
    this.asking = false;
    this.root.dataset.answers = this.latencies.length;
  }

  show(scene) {
    const last = this.scene ? this.scene.frames.length - 1 : 0;
    const atEnd = this.index >= last;
    this.scene = scene;
    const end = scene.frames.length - 1;
    this.index = atEnd ? end : Math.min(this.index, end);
    this.complain("");
    this.showClaims();
    document.querySelector("#code").textContent = scene.code;
    const timeline = this.root.querySelector(".timeline");
    timeline.hidden = end < 1;
    this.scrubber.max = end;
    if (this.autoplay) {
      this.autoplay = false;
      this.go(0);
      this.play(true);
    }
    this.go(this.index);
  }

  showClaims() {
    const list = this.root.querySelector(".checked");
    const items = this.scene.claims.map((claim) => {
      const item = element("li", {class: claim.holds ? "good" : "bad"});
      const stated = claim.allowed === "as stated" ? "" : ` (${claim.allowed})`;
      item.append(
        element("strong", {}, claim.holds ? "✓ " : "✗ "),
        element("span", {class: "claim"}, `${claim.text}: `),
        element("span", {class: "measured"}, `${claim.shown}${stated}`),
      );
      if (claim.probability) item.title = `chance of a false alarm ${claim.probability}`;
      return item;
    });
    list.replaceChildren(...items);
  }

  complain(sentence) {
    const place = this.root.querySelector(".stage > [role=alert]");
    place.textContent = sentence;
    place.hidden = !sentence;
  }

  // ---- drawing ---------------------------------------------------------------------------

  draw() {
    if (this.drawn) return;
    this.drawn = requestAnimationFrame(() => {
      this.drawn = 0;
      if (!this.scene) return;
      const frame = this.scene.frames[this.index] ?? {};
      for (const plane of this.planes) plane.begin();
      const words = this.drawing(this.scene, frame, this.index) ?? "";
      for (const plane of this.planes) plane.end();
      if (!this.playing) this.root.querySelector(".words").textContent = words;
      this.root.dataset.drawn = "yes";
    });
  }

  colour(name) {
    if (!this.colours.has(name)) {
      const style = getComputedStyle(this.root);
      this.colours.set(name, style.getPropertyValue(`--${name}`).trim());
    }
    return this.colours.get(name);
  }

  // ---- playing ---------------------------------------------------------------------------

  go(index) {
    const end = this.scene.frames.length - 1;
    this.index = Math.max(0, Math.min(end, index));
    this.scrubber.value = this.index;
    this.root.querySelector("#step").textContent = `${this.index} of ${end}`;
    this.draw();
  }

  play(on) {
    this.playing = on;
    const button = this.root.querySelector("[data-do=play]");
    button.textContent = on ? "❚❚ Pause" : "▶ Play";
    button.setAttribute("aria-label", on ? "Pause" : "Play");
    if (!on) {
      this.draw();
      return;
    }
    if (this.index >= this.scene.frames.length - 1) this.go(0);
    let shown = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      const pace = Math.min(FRAME_MS[1], Math.max(FRAME_MS[0], PLAY_MS / this.scene.frames.length));
      const steps = Math.floor((now - shown) / pace);
      if (steps > 0) {
        shown += steps * pace;
        this.go(this.index + steps);
        if (this.index >= this.scene.frames.length - 1) {
          this.play(false);
          return;
        }
      }
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  step(by) {
    this.play(false);
    this.go(this.index + by);
  }

  // ---- the page --------------------------------------------------------------------------

  wireControls() {
    for (const control of this.controls) {
      const field = this.root.querySelector(`#set-${control.name}`);
      if (!field) continue;
      if (control.kind === "slider") {
        const scale = scaleOf(control);
        field.min = 0;
        field.max = scale.steps;
        field.step = 1;
        field.addEventListener("input", () => this.set(control.name, scale.value(+field.value)));
      } else if (control.kind === "choice") {
        field.addEventListener("change", () => this.set(control.name, field.value));
      } else {
        field.addEventListener("change", () => this.set(control.name, field.checked));
      }
    }
    this.showControls();
  }

  showControls() {
    for (const control of this.controls) {
      const field = this.root.querySelector(`#set-${control.name}`);
      const value = this.values[control.name];
      if (!field) continue;
      if (control.kind === "check") field.checked = value;
      else if (control.kind === "choice") field.value = value;
      else {
        const shown = String(+value.toPrecision(4));
        field.value = scaleOf(control).position(value);
        field.setAttribute("aria-valuetext", shown);
        this.root.querySelector(`#now-${control.name}`).textContent = shown;
      }
    }
  }

  wireTimeline() {
    this.scrubber = this.root.querySelector("#scrub");
    this.scrubber.addEventListener("input", () => {
      this.play(false);
      this.go(+this.scrubber.value);
    });
    const deeds = {
      first: () => this.step(-Infinity),
      back: () => this.step(-1),
      next: () => this.step(1),
      play: () => this.play(!this.playing),
    };
    this.root.querySelector(".timeline").addEventListener("click", (event) => {
      const button = event.target.closest("[data-do]");
      if (button && this.scene) deeds[button.dataset.do]();
    });
    const keys = {" ": "play", ",": "back", ".": "next", Home: "first"};
    document.addEventListener("keydown", (event) => {
      const busy = event.target.closest("input, select, textarea, button, a, summary");
      if (busy || event.ctrlKey || event.metaKey || event.altKey || !this.scene) return;
      const brush = this.brushes?.find((each) => each.key === event.key);
      if (brush) this.choose(brush.value);
      else if (keys[event.key]) deeds[keys[event.key]]();
      else return;
      event.preventDefault();
    });
  }

  wirePage() {
    this.root.addEventListener("click", (event) => {
      const link = event.target.closest("a.state");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.restore(new URL(link.href).search);
      this.root.scrollIntoView({block: "start"});
    });
    addEventListener("popstate", () => this.restore(location.search));
    this.root.querySelector("#reset").addEventListener("click", () => this.restore(""));
    this.wireCopy("#share", () => `${location.origin}${location.pathname}?${this.query()}`);
    this.wireCopy("#copy", () => document.querySelector("#code").textContent);
  }

  wireCopy(selector, text) {
    const button = this.root.querySelector(selector);
    const words = button.textContent;
    button.addEventListener("click", async () => {
      const copied = await copy(text());
      button.textContent = copied ? "Copied" : "Select and copy it by hand";
      setTimeout(() => (button.textContent = words), 1500);
    });
  }

  restore(search) {
    this.play(false);
    this.read(search);
    this.showControls();
    this.changed();
  }

  // Buttons for what a tap does: values, and the keys that choose them.
  offer(brushes) {
    this.brushes = brushes;
    const place = this.root.querySelector(".brushes");
    place.replaceChildren(
      ...brushes.map((each) => {
        const button = element("button", {type: "button", class: "quiet", title: `key ${each.key}`}, each.label);
        button.dataset.brush = each.value;
        button.addEventListener("click", () => this.choose(each.value));
        return button;
      }),
    );
    this.choose(brushes[0].value);
  }

  choose(value) {
    this.brush = value;
    for (const button of this.root.querySelectorAll("[data-brush]")) {
      button.setAttribute("aria-pressed", button.dataset.brush === String(value));
    }
  }
}

export function element(tag, attributes = {}, text = "") {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text) made.textContent = text;
  return made;
}

function parse(control, text) {
  if (control.kind === "slider") return Number.isFinite(+text) && text !== "" ? +text : +control.start;
  if (control.kind === "check") return text === "yes";
  if (control.kind === "points") {
    return text.split(";").filter(Boolean).map((part) => part.split(",").map(Number));
  }
  return text;
}

function format(control, value) {
  if (control.kind === "slider") return String(+value.toPrecision(6));
  if (control.kind === "check") return value ? "yes" : "no";
  if (control.kind === "points") {
    return value.map((point) => point.map((number) => +number.toFixed(3)).join(",")).join(";");
  }
  return value;
}

// Positions of a slider are whole numbers; those of a logarithmic one are powers of its step.
function scaleOf({low, high, step, log}) {
  const place = log ? (value) => Math.log(value / low) / Math.log(step) : (value) => (value - low) / step;
  const steps = Math.round(place(high));
  const value = (position) => {
    if (position >= steps) return high;
    return +(log ? low * step ** position : low + position * step).toPrecision(6);
  };
  return {steps, value, position: (given) => Math.round(place(given))};
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    return false;
  }
}
