// A network of causes and effects with the belief in every state; a click observes one.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const PLACES = {season: [5, 8.6], rain: [2.2, 5.7], sprinkler: [7.8, 5.7], wet: [5, 3.2], slippery: [5, 0.75]};
const stage = new Stage();
const plane = new Plane(stage, {
  title: "Click a state to observe it, click it again to take it back", x: [0, 10], y: [-0.4, 10], ratio: 1.25, wide: true,
  about: "Five variables with a bar for each state. The boxes on the right set the same observations. Keys: n and p choose a state, Enter observes it.",
});
const HEIGHT = 0.44;
const WIDTH = 2.1;

const bars = (name) => {
  const states = stage.scene?.common.states?.[name] ?? [];
  const [x, y] = PLACES[name];
  return states.map((state, i) => ({name, state, x0: x - 0.45, y0: y + (states.length / 2 - i - 1) * HEIGHT}));
};
plane.handles = () =>
  Object.keys(PLACES).flatMap((name) =>
    bars(name).map((bar) => ({
      x: bar.x0 + 0.1,
      y: bar.y0 + HEIGHT / 2,
      press: () => stage.set(name, stage.values[name] === bar.state ? "unknown" : bar.state),
      move: () => stage.values[name] !== bar.state && stage.set(name, bar.state),
    })),
  );
plane.tap = (x, y) => {
  for (const name of Object.keys(PLACES)) {
    for (const bar of bars(name)) {
      const inside = x > bar.x0 - 1.3 && x < bar.x0 + WIDTH && y > bar.y0 && y < bar.y0 + HEIGHT;
      if (inside) stage.set(name, stage.values[name] === bar.state ? "unknown" : bar.state);
    }
  }
};

stage.start((scene, frame, index) => {
  const {parents} = scene.common;
  for (const [name, causes] of Object.entries(parents)) {
    for (const cause of causes) {
      const [from, to] = [PLACES[cause], PLACES[name]];
      const below = scene.common.states[cause].length * HEIGHT / 2 + 0.15;
      const above = scene.common.states[name].length * HEIGHT / 2 + 0.68;
      plane.arrow(from[0], from[1] - below, to[0], to[1] + above, "faint", 2);
    }
  }
  for (const name of Object.keys(PLACES)) {
    const list = bars(name);
    const [x, y] = PLACES[name];
    const known = frame.known[name];
    plane.text(name, x, y + (list.length / 2) * HEIGHT + 0.3, {align: "center", bold: true, colour: known ? "c1" : "ink"});
    for (const [i, bar] of list.entries()) {
      const belief = frame.beliefs[name][i];
      const before = scene.frames[0].beliefs[name][i];
      const box = (share) => [[bar.x0, bar.y0 + 0.06], [bar.x0, bar.y0 + HEIGHT - 0.06], [bar.x0 + WIDTH * share, bar.y0 + HEIGHT - 0.06], [bar.x0 + WIDTH * share, bar.y0 + 0.06]];
      plane.path(box(1), "line", {fill: "ground", width: 1, close: true});
      plane.path(box(belief), "", {fill: known === bar.state ? "c1" : "c0", width: 0, close: true});
      plane.path([[bar.x0 + WIDTH * before, bar.y0], [bar.x0 + WIDTH * before, bar.y0 + HEIGHT]], "ink", {width: 2});
      plane.text(bar.state, bar.x0, bar.y0 + HEIGHT / 2, {align: "right", dx: -6, colour: "ink"});
      plane.text(`${(100 * belief).toFixed(belief > 0 && belief < 0.1 ? 1 : 0)} %`, bar.x0 + WIDTH, bar.y0 + HEIGHT / 2, {dx: 6, colour: "faint"});
    }
  }
  plane.legend([{colour: "c0", name: "belief now"}, {colour: "c1", name: "observed"}, {colour: "ink", name: "belief without any observation"}]);
  const seen = Object.entries(frame.known).map(([name, state]) => `${name} = ${state}`).join(", ");
  return seen ? `Observed: ${seen}. This has probability ${short(frame.chance)}.` : "Nothing is observed yet: these are the beliefs before.";
});
