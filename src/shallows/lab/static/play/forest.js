// Points, boxes, the tree that made them, the gain of a first question, and the errors.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
stage.offer([
  {value: 0, label: "● class −", key: "1"},
  {value: 1, label: "■ class +", key: "2"},
  {value: "erase", label: "erase", key: "0"},
]);
const plane = new Plane(stage, {
  title: "Samples and answers", x: [-2, 2], y: [-2, 2],
  about: "Drag points. Pale points are held out. Keys: n and p choose one, arrows move it, Delete erases it.",
});
plane.edit("points", {most: 120});
const tree = new Plane(stage, {title: "The tree", x: [-1.05, 1.05], y: [-1, 0.35], about: "Its questions from the top; bars show the classes in each leaf."});
const gains = new Plane(stage, {title: "Gain of a first question (drag)", ratio: 1.35, x: [-2, 2], y: [0, 1], axes: ["threshold", "bits"], about: "Information gain of asking whether x or y is below a threshold."});
gains.scrub = (x, y) => {
  const {gains: rows, thresholds} = stage.scene.common;
  if (rows) {
    const place = Math.max(0, Math.min(thresholds.length - 1, Math.round((x + 2) * 20) - 1));
    stage.values.axis = Math.abs(rows[0][place] - y) <= Math.abs(rows[1][place] - y) ? "x" : "y";
  }
  stage.set("cut", Math.max(-2, Math.min(2, Math.round(x * 20) / 20)));
};
const errors = new Plane(stage, {title: "Errors as it grows", ratio: 1.35, axes: ["", "error"], about: "Training and test error against depth or number of trees."});

stage.start((scene, frame, index) => {
  const {held, common} = {held: scene.common.held, common: scene.common};
  const {axis, cut, method} = stage.values;
  if (frame.field) plane.field(frame.field, ["c0", "ground", "c1"], 0.5, null, false);
  for (const node of common.tree ?? []) {
    if (node.axis === undefined || node.level > index) continue;
    const [x0, x1, y0, y1] = node.box;
    const ends = node.axis ? [[x0, node.cut], [x1, node.cut]] : [[node.cut, y0], [node.cut, y1]];
    plane.path(ends, "ink", {width: Math.max(0.8, 3 - 0.6 * node.level)});
  }
  const ends = axis === "x" ? [[cut, -2], [cut, 2]] : [[-2, cut], [2, cut]];
  plane.path(ends, "c3", {width: 2, dash: [6, 5]});
  for (const [i, [x, y, label]] of stage.values.points.entries()) plane.mark(x, y, label, {size: held[i] ? 5 : 6, alpha: held[i] ? 0.45 : 1});
  plane.legend([{colour: "c3", name: "your question", dash: true}, {colour: "ink", name: "pale: held out"}]);
  if (!frame.field) return "Draw points of both classes.";
  drawTree(common, index);
  drawGains(common);
  const list = [{y: common.train, colour: "c1", name: "training error"}];
  if (common.test.length) list.push({y: common.test, colour: "c2", name: "test error"});
  if (common.oob !== undefined) list.push({y: common.train.map(() => common.oob), colour: "c4", dash: [5, 5], name: "out-of-bag error of all"});
  errors.axes[0] = method === "tree" ? "depth − 1" : "trees − 1";
  errors.curves(list, index, {low: 0, high: 0.3});
  const what = method === "tree" ? `Depth ${index + 1}` : `${index + 1} trees`;
  return `${what}: training error ${short(common.train[index])}, test error ${short(common.test[index] ?? null)}.`;
});

function drawTree({tree: nodes, oob}, index) {
  tree.caption.textContent = nodes ? "The tree" : "No single tree";
  if (!nodes) {
    tree.text(oob === undefined ? "Each new tree repairs what the others left." : "Each tree has its own questions; they vote.", 0, -0.3, {align: "center", colour: "faint"});
    return;
  }
  const deepest = Math.max(...nodes.map((node) => node.level), 1);
  const y = (node) => 0.22 - (1.1 * node.level) / deepest;
  const shown = nodes.filter((node) => node.level <= index + 1);
  for (const node of shown) {
    if (node.parent >= 0) {
      const above = nodes[node.parent];
      tree.path([[above.x, y(above)], [node.x, y(node)]], "faint", {width: 0.6 + 3 * Math.sqrt(node.size / nodes[0].size)});
    }
  }
  for (const node of shown) {
    const leaf = !node.words || node.level === index + 1;
    const r = leaf ? 4.5 : 3;
    tree.dot(node.x, y(node), r, node.share > 0.5 ? "c1" : "c0", {edge: "ground"});
    if (!leaf && node.level < 3) tree.text(node.words, node.x, y(node), {align: "center", base: "bottom", dy: -7});
  }
}

function drawGains({gains: rows, thresholds}) {
  const most = Math.max(...rows.flat(), 0.05);
  gains.y = [0, 1.15 * most];
  for (const [i, row] of rows.entries()) gains.path(row.map((value, k) => [thresholds[k], value]), `c${i ? 4 : 3}`, {width: 2});
  const {axis, cut} = stage.values;
  gains.path([[cut, 0], [cut, 1.15 * most]], "ink", {width: 1.5, dash: [5, 5]});
  const mine = rows["xy".indexOf(axis)][Math.max(0, Math.min(78, Math.round((cut + 2) * 20) - 1))];
  gains.dot(cut, mine, 5, "ink");
  gains.legend([{colour: "c3", name: "x below it?"}, {colour: "c4", name: "y below it?"}]);
}
