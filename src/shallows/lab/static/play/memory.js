// A picture that is painted over and heals, its energy and overlap, and the fields of its units.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const SIDE = 50;
const stage = new Stage();
stage.offer([
  {value: "b", label: "■ paint black", key: "1"},
  {value: "w", label: "□ paint white", key: "2"},
  {value: "n", label: "undo paint", key: "0"},
]);

const state = new Plane(stage, {
  title: "The network: paint on it", x: [0, SIDE], y: [0, SIDE],
  about: "2,500 units. Paint with the pointer; with the keyboard set the share of flipped pixels.",
});
state.paint = (x, y, first) => {
  stage.play(false);
  const cells = first ? (marks = unpack(stage.values.painted)) && [[x, y]] : between(last, [x, y]);
  last = [x, y];
  for (const [a, b] of cells) {
    for (let i = -2; i <= 2; i += 1) {
      for (let j = -2; j <= 2; j += 1) {
        const [column, row] = [Math.floor(a) + i, SIDE - 1 - Math.floor(b) + j];
        if (i * i + j * j < 6 && column >= 0 && column < SIDE && row >= 0 && row < SIDE) marks[row * SIDE + column] = stage.brush;
      }
    }
  }
  stage.index = 0; // what is painted is the start
  stage.set("painted", runs(marks));
};
let marks = null;
let last = null;

const goal = new Plane(stage, {title: "The stored pattern", x: [0, SIDE], y: [0, SIDE], about: "The picture that was stored."});
const fall = new Plane(stage, {title: "Overlap and energy", ratio: 1.5, axes: ["sweeps × 20", ""], about: "Overlap with the stored pattern and energy over time."});
const bell = new Plane(stage, {
  title: "Fields of the stored pattern", ratio: 1.5, x: [-1.2, 3], y: [0, 1], axes: ["field × stored sign", ""],
  about: "Each unit's field times its stored sign. What is below zero is unstable.",
});

stage.start((scene, frame, index) => {
  pixels(state, frame.units);
  pixels(goal, scene.common.target);
  const {overlaps, energies, load, histogram, theory, bins} = scene.common;
  fall.curves(
    [
      {y: overlaps, colour: "c2", name: "overlap"},
      {y: energies, colour: "c1", name: "energy per unit"},
    ],
    index, {low: 0, high: 1},
  );
  bell.y = [0, 1.15 * Math.max(...theory, ...histogram)];
  bell.clip(() => {
    for (const [i, height] of histogram.entries()) {
      const box = [[bins[i], 0], [bins[i], height], [bins[i + 1], height], [bins[i + 1], 0]];
      bell.path(box, "", {fill: bins[i] < 0 ? "bad" : "c0", alpha: 0.6, width: 0, close: true});
    }
    const fine = Array.from({length: 181}, (_, i) => -1.5 + i * 0.025);
    const normal = (x) => Math.exp(-((x - 1) ** 2) / (2 * load)) / Math.sqrt(2 * Math.PI * load);
    bell.path(fine.map((x) => [x, normal(x)]), "ink", {width: 1.5, dash: [5, 4]});
    bell.path([[0, 0], [0, bell.y[1]]], "faint", {width: 1});
  });
  bell.legend([{colour: "c0", name: "units"}, {colour: "ink", dash: true, name: "random patterns: normal, variance α"}]);
  return `${stage.values.stored} patterns, α = ${short(load)} per unit. Overlap ${short(frame.overlap)}, energy ${short(frame.energy)} per unit.`;
});

function pixels(plane, text) {
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const data = new Uint8Array(SIDE * SIDE);
  for (let row = 0; row < SIDE; row += 1) {
    for (let column = 0; column < SIDE; column += 1) {
      const place = row * SIDE + column;
      data[(SIDE - 1 - row) * SIDE + column] = (packed[place >> 3] >> (7 - (place & 7))) & 1 ? 255 : 0;
    }
  }
  plane.field({rows: SIDE, columns: SIDE, data}, ["paper", "print"], 1, null, false);
}

function unpack(text) {
  const found = [];
  for (const [, kind, count] of text.matchAll(/([nbw])(\d+)/g)) found.push(...Array(+count).fill(kind));
  while (found.length < SIDE * SIDE) found.push("n");
  return found;
}

function runs(list) {
  let text = "";
  let start = 0;
  for (let i = 1; i <= list.length; i += 1) {
    if (list[i] !== list[start]) {
      if (i < list.length || list[start] !== "n") text += list[start] + (i - start);
      start = i;
    }
  }
  return text;
}

function between(from, to) {
  const steps = Math.max(1, Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1])));
  return Array.from({length: steps}, (_, i) => from.map((value, k) => value + ((i + 1) / steps) * (to[k] - value)));
}
