// A density, the walk on it, its trace, and how soon it forgets.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
const hill = new Plane(stage, {
  title: "The density and the share of visits: drag the start", ratio: 2.6, wide: true, x: [-8, 8], y: [0, 0.45], axes: ["x", ""],
  about: "The density as a line, visits as bars, the chain as a dot. Drag or use arrows to move the start.",
});
hill.handles = () => [{x: stage.values.start, y: 0.008, move: (x) => stage.set("start", Math.round(2 * Math.max(-8, Math.min(8, x))) / 2)}];
hill.tap = (x) => stage.set("start", Math.round(2 * x) / 2);
const trace = new Plane(stage, {title: "Trace", ratio: 1.6, y: [-8, 8], axes: ["step", "x"], about: "The state after each step."});
trace.scrub = (x) => {
  const {frames} = stage.scene;
  stage.play(false);
  stage.go(Math.max(0, frames.findIndex((each) => each.end >= x)));
};
const forget = new Plane(stage, {title: "Autocorrelation", ratio: 1.6, x: [0, 80], y: [-0.2, 1.05], axes: ["lag", ""], about: "How similar states are that lie so many steps apart."});

stage.start((scene, frame) => {
  const {states, fine, density, edges, lags, size, taken, r_hat: rHat} = scene.common;
  hill.clip(() => {
    for (const [i, height] of frame.heights.entries()) {
      if (!height) continue;
      const box = [[edges[i], 0], [edges[i], height], [edges[i + 1], height], [edges[i + 1], 0]];
      hill.path(box, "", {fill: "c0", alpha: 0.45, width: 0, close: true});
    }
  });
  hill.path(fine.map((x, i) => [x, density[i]]), "ink", {width: 2.2});
  const now = states[frame.end - 1];
  const height = density[Math.max(0, Math.min(240, Math.round((now + 8) * 15)))];
  for (let i = Math.max(1, frame.end - 12); i < frame.end; i += 1) {
    hill.path([[states[i - 1], 0.012], [states[i], 0.012]], "c1", {width: 2, alpha: 0.5});
  }
  hill.dot(now, height, 7, "c1", {edge: "ground"});
  hill.ring(stage.values.start, 0.008, 8, "ink", 2, [3, 3]);
  hill.legend([{colour: "ink", name: "density"}, {colour: "c0", name: "share of visits"}, {colour: "c1", name: "the chain and its last steps"}]);

  trace.x = [0, states.length];
  trace.clip(() => {
    trace.path(states.map((x, i) => [i, x]), "faint", {width: 0.8, alpha: 0.35});
    trace.path(states.slice(0, frame.end).map((x, i) => [i, x]), "c0", {width: 1.3});
  });
  trace.dot(frame.end - 1, now, 4.5, "c1");
  for (const [lag, value] of lags.entries()) {
    if (value === null) continue;
    forget.path([[lag, 0], [lag, value]], "c0", {width: 3});
  }
  forget.path([[0, 0], [80, 0]], "faint", {width: 1});
  return `${frame.end} of ${states.length} steps. ${Math.round(100 * taken)} % were taken; the chain is worth ${short(size)} independent draws (R̂ of its halves ${short(rHat)}).`;
});
