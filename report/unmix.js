/* The pixel under the pointer, or the one that the arrow keys have reached: its spectrum, its fit and its abundances. Works
 * from the data in #scene-data alone. */
"use strict";
(function () {
  const scene = JSON.parse(document.getElementById("scene-data").textContent);
  const byId = (id) => document.getElementById(id);
  const bytes = (text) => Uint8Array.from(atob(text.slice(text.indexOf(",") + 1)), (c) => c.charCodeAt(0));
  const values = bytes(scene.values), weights = bytes(scene.weights);
  const scale = new Float32Array(bytes(scene.scale).buffer);
  const bands = scene.x.length, count = scene.endmembers.length, box = { left: 52, top: 10, right: 590, bottom: 290 };
  const svg = byId("spectrum"), text = byId("pixel");
  let line = scene.start[0], sample = scene.start[1];

  function part(name, attributes, words) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key of Object.keys(attributes)) made.setAttribute(key, attributes[key]);
    if (words !== undefined) made.textContent = words;
    svg.appendChild(made);
    return made;
  }

  /* A round step that gives about four of them. */
  function roundStep(range) {
    const raw = range / 4, power = Math.pow(10, Math.floor(Math.log10(raw)));
    return power * [1, 2, 5, 10].find((k) => k * power >= raw);
  }
  const low = Math.min(scene.x[0], scene.x[bands - 1]), high = Math.max(scene.x[0], scene.x[bands - 1]);
  const across = (x) => box.left + (x - low) / ((high - low) || 1) * (box.right - box.left);
  function ticks(from, to) {
    const step = roundStep(to - from || 1), list = [];
    for (let k = Math.ceil(from / step); k * step <= to * (1 + 1e-9); k++) list.push(k * step);
    return [list, Math.max(0, -Math.floor(Math.log10(step)))];
  }

  function draw(measured, fit) {
    const top = Math.max(1e-12, ...measured, ...fit) * 1.04;
    const up = (y) => box.bottom - y / top * (box.bottom - box.top);
    /* A line that is interrupted where a value is not known (null); a value between two of these is a dash. */
    const path = (list) => list.map(function (y, i) {
      if (y === null) return "";
      const joined = i > 0 && list[i - 1] !== null, alone = !joined && (i + 1 === list.length || list[i + 1] === null);
      return (joined ? "L" : "M") + across(scene.x[i]).toFixed(1) + " " + up(y).toFixed(1) + (alone ? "h1" : "");
    }).join("");
    svg.replaceChildren();
    const [ys, yDigits] = ticks(0, top), [xs, xDigits] = ticks(low, high);
    for (const y of ys) {
      part("line", { class: "axis", x1: box.left, x2: box.right, y1: up(y), y2: up(y) });
      part("text", { x: box.left - 6, y: up(y) + 4, "text-anchor": "end" }, y.toFixed(yDigits));
    }
    for (const x of xs) part("text", { x: across(x), y: box.bottom + 18, "text-anchor": "middle" }, x.toFixed(xDigits));
    part("text", { x: (box.left + box.right) / 2, y: box.bottom + 36, "text-anchor": "middle" }, scene.label);
    part("path", { class: "measured", d: path(measured) });
    part("path", { class: "fit", d: path(fit) });
  }

  /* Data are of every step-th line and sample. */
  function show() {
    const row = Math.min(scene.height - 1, Math.floor(line / scene.step));
    const column = Math.min(scene.width - 1, Math.floor(sample / scene.step));
    const at = row * scene.width + column;
    const spots = document.querySelectorAll(".map .here");
    for (const spot of spots) {
      spot.style.left = 100 * (sample + 0.5) / scene.samples + "%";
      spot.style.top = 100 * (line + 0.5) / scene.lines + "%";
    }
    if (!(scale[at] >= 0)) {
      text.textContent = "Line " + line + ", sample " + sample + ": no data.";
      svg.replaceChildren();
      return;
    }
    const measured = [], fit = new Array(bands).fill(0), shares = [];
    for (let i = 0; i < bands; i++) {
      const value = values[at * bands + i];
      measured.push(value === 255 ? null : value / 254 * scale[at]); /* 255: not known */
    }
    for (let k = 0; k < count; k++) {
      const share = weights[at * count + k] / 255 * scene.most;
      for (let i = 0; i < bands; i++) fit[i] += share * scene.endmembers[k][i];
      if (share > 0.005) shares.push([share, k]);
    }
    shares.sort((a, b) => b[0] - a[0]);
    text.textContent = "Line " + row * scene.step + ", sample " + column * scene.step + ": " +
      (shares.map((one) => "endmember " + (one[1] + 1) + " " + (100 * one[0]).toFixed(0) + " %").join(", ") || "shade") + ".";
    draw(measured, fit);
  }

  function move(toLine, toSample) {
    line = Math.max(0, Math.min(scene.lines - 1, toLine));
    sample = Math.max(0, Math.min(scene.samples - 1, toSample));
    show();
  }

  for (const map of document.querySelectorAll(".map")) {
    const spot = document.createElement("span");
    spot.className = "here screen-only";
    map.appendChild(spot);
    const follow = function (event) {
      const frame = map.getBoundingClientRect();
      move(Math.floor((event.clientY - frame.top) / frame.height * scene.lines),
        Math.floor((event.clientX - frame.left) / frame.width * scene.samples));
    };
    map.addEventListener("pointermove", follow);
    map.addEventListener("pointerdown", follow);
  }
  byId("picture").addEventListener("keydown", function (event) {
    const far = event.shiftKey ? 10 * scene.step : scene.step;
    const moves = { ArrowUp: [-far, 0], ArrowDown: [far, 0], ArrowLeft: [0, -far], ArrowRight: [0, far] };
    const by = moves[event.key];
    if (!by || event.ctrlKey || event.altKey || event.metaKey) return;
    move(line + by[0], sample + by[1]);
    event.preventDefault();
  });
  for (const button of document.querySelectorAll("button[data-line]"))
    button.addEventListener("click", function () { move(Number(button.dataset.line), Number(button.dataset.sample)); });
  show();
})();
