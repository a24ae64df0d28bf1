/* The page: files in, runs of the program in its worker, results out. Answers are kept by their settings, so that the
 * slider only looks up what was computed: after the longest run those of fewer anchors follow on their own. */
"use strict";

const $ = (id) => document.getElementById(id);

/* ---- the worker ---- */

const engine = (() => {
  let worker = null, next = 0, given = null;
  const waiting = new Map();

  function start() {
    worker = new Worker("page_worker.js");
    worker.onmessage = (event) => {
      const answer = event.data;
      if (answer.progress) return showProgress(answer.progress);
      const promise = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (!promise) return undefined;
      return answer.error === undefined ? promise.resolve(answer) : promise.reject(new Error(answer.error));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      for (const promise of waiting.values()) promise.reject(new Error(event.message || "the program could not be loaded"));
      waiting.clear();
    };
  }

  function ask(message) {
    if (!worker) start();
    if (message.kind === "files" || message.kind === "sample") given = message;
    return new Promise((resolve, reject) => {
      const id = next++;
      waiting.set(id, {resolve, reject});
      worker.postMessage({...message, id});
    });
  }

  /* Ends what runs; the next request finds a fresh worker with the same input. */
  function cancel() {
    if (!worker) return;
    worker.terminate();
    worker = null;
    for (const promise of waiting.values()) promise.reject(new Cancelled());
    waiting.clear();
    if (given) ask(given).catch(() => {});
  }
  return {ask, cancel};
})();

class Cancelled extends Error {}

/* ---- working, progress, refusals ---- */

let working = 0;
const phases = {read: "Reading", select: "Selecting anchors", project: "Computing weights", decode: "Reading the clip",
                learn: "Learning the background"};

function showProgress({phase, done, total}) {
  if (!working) return;
  const bar = $("progress");
  $("phase").textContent = (phases[phase] || phase) + (total > 0 ? `: ${done} of ${total}` : "");
  if (total > 0) bar.value = done / total;
  else bar.removeAttribute("value");
}

function refuse(error) {
  const box = $("refusal");
  box.hidden = !error;
  box.textContent = !error ? "" : error instanceof Cancelled ? "Cancelled." : error.message;
}

/* Shows that something runs until `work` has ended; returns its result, or undefined after a refusal. */
async function during(words, work) {
  working++;
  refuse(null);
  $("phase").textContent = words;
  $("progress").removeAttribute("value");
  $("working").hidden = false;
  try {
    return await work();
  } catch (error) {
    refuse(error);
    return undefined;
  } finally {
    working--;
    $("working").hidden = working > 0 ? false : true;
  }
}

$("cancel").onclick = () => { generation++; engine.cancel(); };

function save(bytes, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], {type: "application/zip"}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/* ---- input ---- */

let input = null, generation = 0;
const answers = new Map();

async function unpacked(file) {
  if (!/\.gz$/i.test(file.name)) return {name: file.name, bytes: await file.arrayBuffer()};
  const stream = file.stream().pipeThrough(new DecompressionStream("gzip"));
  return {name: file.name.replace(/\.gz$/i, ""), bytes: await new Response(stream).arrayBuffer()};
}

const isClip = (file) => /^video\//.test(file.type) || /\.(mp4|webm|mov|m4v|ogv|mkv|avi)$/i.test(file.name);

async function take(list) {
  const files = [...list];
  if (files.length === 0) return;
  if (files.some(isClip)) return takeClip(files.find(isClip));
  await during("Reading", async () => useMatrix(await engine.ask({kind: "files", files: await Promise.all(files.map(unpacked))}), 8));
  if (input && /\.(img|dat|bsq|bil|bip|raw|sli)$/i.test(input.name) && files.length === 1)
    refuse(new Error(`${input.name}: choose its header (.hdr) together with it`));
}

function useMatrix(described, most) {
  input = described;
  answers.clear();
  $("clip").hidden = true;
  $("matrix").hidden = false;
  $("most").value = most;
  $("transpose").checked = false;
  $("clip-negative").checked = $("faint").checked = isCube(); /* as `conehull unmix` treats scenes */
  $("hull").value = isCube() ? "convex0" : "cone";
  $("losses").hidden = true;
  start();
}

const isCube = () => input.lines > 0;

$("file").onchange = (event) => take(event.target.files);
const drop = $("drop");
for (const kind of ["dragenter", "dragover"])
  drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); take(event.dataTransfer.files); });

for (const button of document.querySelectorAll("[data-sample]"))
  button.onclick = async () => {
    const sample = button.dataset.sample;
    if (sample === "clip") return sampleClip();
    await during("Making the data", async () =>
      useMatrix(await engine.ask({kind: "sample", sample}), sample === "matrix" ? 20 : 6));
  };

/* ---- runs ---- */

function optionsFor(rank, loss) {
  const options = ["-r", String(rank)];
  if (loss !== "l1") options.push("--loss", loss);
  if ($("hull").value !== "cone") options.push("--hull", $("hull").value);
  if ($("transpose").checked) options.push("--transpose");
  if ($("clip-negative").checked) options.push("--negative", "clip");
  if ($("faint").checked) options.push("--faint", "0.05");
  return options;
}

const keyOf = (options) => options.join(" ");

async function run(rank, loss) {
  const options = optionsFor(rank, loss), key = keyOf(options);
  if (!answers.has(key)) answers.set(key, await engine.ask({kind: "anchors", options}));
  return answers.get(key);
}

/* Small data have fewer columns than the form asks for: then as many as there are. */
async function runAtMost(rank, loss) {
  try {
    return await run(rank, loss);
  } catch (error) {
    const usable = /has only (\d+) usable columns/.exec(error.message);
    if (!usable || +usable[1] < 1) throw error;
    return run(+usable[1], loss);
  }
}

const known = (rank) => answers.get(keyOf(optionsFor(rank, $("loss").value)));
let longest = null; /* the answer with the most anchors, of the settings as they are */

/* The longest run, then all shorter ones while nobody waits. */
async function start() {
  const mine = ++generation, loss = $("loss").value;
  const most = Math.max(1, Math.min(50, Math.round(+$("most").value) || 8));
  longest = null;
  const answer = await during("Selecting anchors", () => runAtMost(most, loss));
  if (!answer || mine !== generation) return;
  longest = answer;
  const slider = $("rank"), found = answer.result.rank;
  slider.max = found;
  slider.value = found;
  if (found < most) answers.set(keyOf(optionsFor(found, loss)), answer);
  show();
  for (let rank = found - 1; rank >= 1 && mine === generation; rank--) {
    try {
      await run(rank, loss);
    } catch (error) {
      if (!(error instanceof Cancelled)) refuse(error);
      return;
    }
    if (mine === generation && +slider.value === rank) show();
  }
  if (mine === generation) $("matrix").dataset.complete = String(found);
}

for (const id of ["loss", "hull", "most", "transpose", "clip-negative", "faint"])
  $(id).onchange = () => { delete $("matrix").dataset.complete; $("losses").hidden = true; start(); };
$("settings").onsubmit = (event) => event.preventDefault();
$("rank").oninput = () => show();

/* ---- what is shown ---- */

function cell(row, text, kind) {
  const made = row.appendChild(document.createElement(kind === "th" ? "th" : "td"));
  made.textContent = text;
  if (kind === "number") made.className = "number";
  return made;
}

function fill(table, head, rows) {
  const top = table.tHead, body = table.tBodies[0];
  top.replaceChildren();
  body.replaceChildren();
  const names = top.insertRow();
  for (const name of head) cell(names, name, "th").scope = "col";
  for (const values of rows) {
    const row = body.insertRow();
    values.forEach((value) => cell(row, value, typeof value === "number" || /^[-\d.e]+$/.test(value) ? "number" : "td"));
  }
}

const pixelOf = (column) => (input.bySample ? [column % input.lines, Math.floor(column / input.lines)]
                                            : [Math.floor(column / input.samples), column % input.samples]);

function placeOf(column) {
  if (!isCube() || $("transpose").checked) return "";
  const [line, sample] = pixelOf(column);
  return `line ${line}, sample ${sample}`;
}

function showNumbers(result, seconds) {
  const proof = result.certificate.proof === "gap" ? "proven to" : "stationary to";
  const numbers = [["objective", charts.short(result.objective)], [proof, charts.short(result.certificate.gap)],
                   ["time of this run", seconds.toFixed(2) + " s"]];
  $("numbers").replaceChildren(...numbers.map(([name, value]) => {
    const box = document.createElement("div");
    box.append(Object.assign(document.createElement("dt"), {textContent: name}),
               Object.assign(document.createElement("dd"), {textContent: value}));
    return box;
  }));
}

function showTable(result, rank) {
  const cube = isCube() && !$("transpose").checked;
  const head = ["", $("transpose").checked ? "row" : "column", "largest residual"].concat(cube ? ["pixel"] : []);
  fill($("anchors"), head, result.anchors.slice(0, rank).map((column, k) => {
    const residual = result.max_residual[k];
    return [k + 1, column, residual === null ? "-" : charts.short(residual)].concat(cube ? [placeOf(column)] : []);
  }));
  [...$("anchors").tBodies[0].rows].forEach((row, k) => {
    const swatch = row.cells[0].insertBefore(document.createElement("span"), row.cells[0].firstChild);
    swatch.className = "swatch";
    swatch.style.background = charts.line(k);
  });
}

function showPath(rank) {
  const all = longest.result.max_residual;
  charts.lines($("path"), [{x: all.map((_, k) => k + 1), y: all.map((v) => (v === null ? NaN : v)), colour: charts.line(0), dots: true}],
               {x: "anchors", whole: true}, rank);
  $("path").setAttribute("aria-label", `Largest residual for 1 to ${all.length} anchors: ${all.map((v) => charts.short(v || 0)).join(", ")}`);
}

function showCurves(W) {
  const waves = input.wavelengths && input.wavelengths.length === W.rows ? [...input.wavelengths] : null;
  const x = waves || Array.from({length: W.rows}, (_, i) => i);
  const series = [];
  for (let k = 0; k < W.cols; k++)
    series.push({x, y: [...W.values.subarray(k * W.rows, (k + 1) * W.rows)], colour: charts.line(k)});
  charts.lines($("curves"), series, {x: waves ? "wavelength" : "row"});
  $("curves-title").textContent = waves ? "Spectra of the anchors" : "Values of the anchors by row";
  $("curves").setAttribute("aria-label", `Values of ${W.cols} anchors in ${W.rows} rows`);
}

const largestOf = (values, from, step, count) => {
  let most = 0;
  for (let j = 0; j < count; j++) most = Math.max(most, values[from + j * step]);
  return most || 1;
};

function showMaps(result, H) {
  const {lines, samples} = input, rank = H.rows;
  $("maps").replaceChildren(...Array.from({length: rank}, (_, k) => {
    const box = document.createElement("figure"), title = document.createElement("figcaption");
    const canvas = document.createElement("canvas"), most = largestOf(H.values, k, rank, H.cols);
    const swatch = Object.assign(document.createElement("span"), {className: "swatch"});
    swatch.style.background = charts.line(k);
    title.append(swatch, `anchor ${k + 1}`);
    const at = (x, y) => (input.bySample ? x * lines + y : y * samples + x);
    const pen = charts.picture(canvas, samples, lines, (x, y) => H.values[k + at(x, y) * rank] / most);
    const [line, sample] = pixelOf(result.anchors[k]);
    pen.strokeStyle = charts.line(k);
    pen.lineWidth = Math.max(1, samples / 60);
    pen.beginPath();
    pen.arc(sample + 0.5, line + 0.5, Math.max(2, samples / 25), 0, 2 * Math.PI);
    pen.stroke();
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Map of anchor ${k + 1}, found at ${placeOf(result.anchors[k])}`);
    box.append(title, canvas);
    return box;
  }));
}

/* At most 2000 columns wide: of more, the largest of those that share a pixel. */
function showWeights(H) {
  const width = Math.min(H.cols, 2000), group = Math.ceil(H.cols / width), rank = H.rows;
  const most = Array.from({length: rank}, (_, k) => largestOf(H.values, k, rank, H.cols));
  charts.picture($("weights"), Math.ceil(H.cols / group), rank, (x, y) => {
    let value = 0;
    for (let j = x * group; j < Math.min(H.cols, (x + 1) * group); j++) value = Math.max(value, H.values[y + j * rank]);
    return value / most[y];
  });
  $("weights").setAttribute("aria-label", `Weights of ${rank} anchors in ${H.cols} data points`);
}

const quoted = (word) => (/^[\w./,:@%^+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function show() {
  if (!longest) return;
  const rank = +$("rank").value, exact = known(rank), {result, W, H, seconds} = exact || longest;
  const [rows, cols] = result.shape;
  $("rank-value").textContent = `${rank} of ${longest.result.rank}`;
  $("summary").textContent = `${input.name}: ${rows} rows, ${cols} columns` +
    (isCube() ? `, a picture of ${input.lines} lines and ${input.samples} samples` : "") + `, loss ${result.loss}.` +
    (result.clipped && result.clipped.count ? ` ${result.clipped.count} negative values count as 0.` : "") +
    (longest.result.status === "complete" ? " These anchors explain every column." : "");
  $("rank-note").textContent = exact ? "" : "The first anchors of the longest run are shown; the run for this number is not finished.";
  $("version").textContent = result.version;
  $("command").textContent = `conehull anchors ${quoted(input.name)} ${optionsFor(rank, $("loss").value).join(" ")} -o out\n` +
    `conehull verify ${quoted(input.name)} out${$("transpose").checked ? " --transpose" : ""}`;
  showTable(result, rank);
  showPath(rank);
  $("download").disabled = !exact;
  if (!exact) return;
  const maps = isCube() && !$("transpose").checked;
  showNumbers(result, seconds);
  showCurves(W);
  $("maps-figure").hidden = !maps;
  $("weights-figure").hidden = maps;
  if (maps) showMaps(result, H);
  else showWeights(H);
}

/* ---- losses, download ---- */

$("compare").onclick = () => during("Comparing losses", async () => {
  const rank = +$("rank").value, own = new Set((await run(rank, $("loss").value)).result.anchors), rows = [];
  for (const loss of ["l1", "l2", "kl", "is"]) {
    try {
      const {result, seconds} = await run(rank, loss);
      const same = result.anchors.filter((column) => own.has(column)).length;
      rows.push([loss, `${same} of ${own.size}`, charts.short(result.objective), seconds.toFixed(2), result.anchors.join(", ")]);
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      rows.push([loss, "-", "-", "-", error.message]);
    }
  }
  fill($("losses"), ["loss", `same as ${$("loss").value}`, "objective", "seconds", "anchors"], rows);
  $("losses").hidden = false;
});

$("download").onclick = () => during("Packing", async () => {
  const rank = +$("rank").value, options = optionsFor(rank, $("loss").value);
  const {zip} = await engine.ask({kind: "anchors", options, zip: true});
  save(zip, input.name.replace(/\.[^.]*$/, "") + `-anchors-${rank}.zip`);
});

let resized = 0;
window.addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(() => { show(); showClip(); }, 150);
});
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { show(); showClip(); });
