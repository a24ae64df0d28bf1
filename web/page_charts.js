/* Charts on canvases, in the colours of the style sheet, sharp on any screen. */
"use strict";

const charts = (() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const line = (k) => colour("--line-" + (k % 10));

  /* A canvas with a pixel per pixel of the screen; drawing is in pixels of CSS. */
  function prepare(canvas) {
    const scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || 600, height = canvas.clientHeight || 240;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    pen.clearRect(0, 0, width, height);
    pen.font = "13px system-ui, sans-serif";
    return {pen, width, height};
  }

  const short = (value) => (value === 0 ? "0" : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(1)
                                                                                                : String(+value.toPrecision(3)));

  /* Round steps, about `count` of them. */
  function ticks(low, high, count) {
    const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw);
    const list = [];
    for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) list.push(Math.abs(t) < 1e-12 * step ? 0 : t);
    return list;
  }

  /* series: [{x: [], y: [], colour, dots}]; axes: {x, y} are their names; mark: an x to stress. */
  function lines(canvas, series, axes, mark) {
    const {pen, width, height} = prepare(canvas);
    const xs = series.flatMap((s) => [s.x[0], s.x[s.x.length - 1]]);
    let top = 0, low = 0;
    for (const s of series) for (const v of s.y) if (Number.isFinite(v)) { if (v > top) top = v; if (v < low) low = v; }
    if (top === low) top = low + 1;
    const x0 = Math.min(...xs), x1 = Math.max(...xs) === x0 ? x0 + 1 : Math.max(...xs);
    const left = 58, right = 20, above = 12, below = 42;
    const px = (x) => left + (x - x0) / (x1 - x0) * (width - left - right);
    const py = (y) => height - below - (y - low) / (top - low) * (height - above - below);
    pen.strokeStyle = colour("--rule");
    pen.fillStyle = colour("--soft");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const t of ticks(low, top, 4)) {
      pen.beginPath();
      pen.moveTo(left, py(t));
      pen.lineTo(width - right, py(t));
      pen.stroke();
      pen.fillText(short(t), left - 6, py(t));
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const whole = axes.whole;
    for (const t of ticks(x0, x1, Math.max(2, Math.min(10, width / 80))))
      if (!whole || Number.isInteger(t)) pen.fillText(short(t), px(t), height - below + 6);
    pen.fillText(axes.x, (left + width - right) / 2, height - 18);
    if (mark !== undefined) {
      pen.strokeStyle = colour("--soft");
      pen.setLineDash([4, 4]);
      pen.beginPath();
      pen.moveTo(px(mark), above);
      pen.lineTo(px(mark), height - below);
      pen.stroke();
      pen.setLineDash([]);
    }
    for (const s of series) {
      pen.strokeStyle = pen.fillStyle = s.colour;
      pen.lineWidth = 2;
      pen.beginPath();
      s.y.forEach((v, i) => Number.isFinite(v) && pen.lineTo(px(s.x[i]), py(v)));
      pen.stroke();
      if (s.dots)
        s.y.forEach((v, i) => {
          if (!Number.isFinite(v)) return;
          pen.beginPath();
          pen.arc(px(s.x[i]), py(v), 4, 0, 2 * Math.PI);
          pen.fill();
        });
    }
    pen.lineWidth = 1;
  }

  /* From the paper to the accent of the page by t in [0, 1]: legible in light and dark. */
  function ramp() {
    const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const rgb = (name) => {
      probe.fillStyle = colour(name);
      probe.fillRect(0, 0, 1, 1);
      return probe.getImageData(0, 0, 1, 1).data;
    };
    const a = rgb("--paper"), b = rgb("--accent");
    return (t) => [0, 1, 2].map((c) => a[c] + (b[c] - a[c]) * Math.max(0, Math.min(1, t)));
  }

  /* values(x, y) in [0, 1] as a picture of width x height pixels. */
  function picture(canvas, width, height, values) {
    canvas.width = width;
    canvas.height = height;
    const pen = canvas.getContext("2d"), image = pen.createImageData(width, height), shade = ramp();
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [r, g, b] = shade(values(x, y));
        image.data.set([r, g, b, 255], 4 * (y * width + x));
      }
    pen.putImageData(image, 0, 0);
    return pen;
  }

  return {lines, picture, line, short, colour};
})();
