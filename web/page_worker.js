/* The program in a worker, so that the page never waits. One request at a time; the page cancels by ending the worker.
 *
 *     {id, kind: "files", files: [{name, bytes}]}          what the user gave; the first one that can be read is the input
 *     {id, kind: "sample", sample: "matrix" | "scene"}     the same from the generators of `conehull demo`
 *     {id, kind: "anchors", options: [..], files: bool}    one run; with files also its folder as a zip
 *     {id, kind: "clip-open" | "clip-frame" | "clip-sample" | "clip-replay" | "zip"}
 *
 * An answer is {id, ...} or {id, error}; {progress: {phase, done, total}} comes in between. */
"use strict";
importScripts("conehull.js");

let program = null, loading = null;
let printed = [], complaints = [];
let input = null, runs = 0, clipShape = null;

async function load() {
  program = await Conehull({
    print: (line) => printed.push(line),
    printErr: (line) => complaints.push(line),
    onProgress: (phase, done, total) => postMessage({progress: {phase, done, total}}),
  });
  program.FS.mkdir("/input");
}

/* A request that comes while the program is loaded waits for it, in its turn. */
function start() {
  loading = loading || load();
  return loading;
}

function call(name, result, ...given) {
  return program.ccall(name, result, given.map((v) => (typeof v === "string" ? "string" : "number")), given);
}

function empty(folder) {
  for (const name of program.FS.readdir(folder)) {
    if (name === "." || name === "..") continue;
    program.FS.unlink(folder + "/" + name);
  }
}

/* A .npy that the program wrote: 64-bit floats, Fortran order. */
function readArray(path) {
  const bytes = program.FS.readFile(path);
  const head = 10 + bytes[8] + 256 * bytes[9];
  const text = String.fromCharCode(...bytes.subarray(10, head));
  const shape = text.match(/'shape': \(([^)]*)\)/)[1].split(",").filter((part) => part.trim()).map(Number);
  return {rows: shape[0], cols: shape.length > 1 ? shape[1] : 1, values: new Float64Array(bytes.slice(head).buffer)};
}

function describeInput(name) {
  const path = "/input/" + name;
  input = {name, path, lines: 0, samples: 0, bySample: false, wavelengths: null};
  const at = call("page_cube_shape", "number", path) >> 3;
  if (at) {
    const [lines, samples, , bySample] = program.HEAPF64.subarray(at, at + 4);
    if (lines > 1 && samples > 1) Object.assign(input, {lines, samples, bySample: bySample === 1});
  }
  if (call("page_cube_wavelengths", "number", path, "/wavelengths.npy"))
    input.wavelengths = readArray("/wavelengths.npy").values;
  return {name, lines: input.lines, samples: input.samples, bySample: input.bySample, wavelengths: input.wavelengths};
}

function takeFiles(files) {
  empty("/input");
  for (const file of files) program.FS.writeFile("/input/" + file.name, new Uint8Array(file.bytes));
  const names = files.map((file) => file.name);
  const header = names.find((name) => /\.(hdr)$/i.test(name));
  return describeInput(header || names[0]);
}

function takeSample(sample) {
  empty("/input");
  const made = sample === "matrix" ? call("page_sample_matrix", "number", "/input/X.npy")
                                   : call("page_sample_scene", "number", "/input");
  if (!made) throw new Error(call("page_message", "string"));
  return describeInput(sample === "matrix" ? "X.npy" : "scene.hdr");
}

function runAnchors(options, asZip) {
  const folder = "/run" + runs++;
  printed = [];
  complaints = [];
  program.FS.chdir("/input");
  const started = performance.now();
  const code = program.callMain(["anchors", input.name, ...options, "--threads", "1", "--json", "-o", folder]);
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(complaints.join("\n").replace(/^conehull: /gm, "") || "the run ended with code " + code);
  const answer = {result: JSON.parse(printed.join("\n")), seconds, W: readArray(folder + "/W.npy"), H: readArray(folder + "/H.npy"),
                  notes: complaints.slice()};
  if (asZip) answer.zip = packFolder(folder);
  empty(folder);
  program.FS.rmdir(folder);
  return answer;
}

function packFolder(folder) {
  if (!call("page_zip", "number", folder, "/result.zip")) throw new Error("the zip file could not be written");
  const bytes = program.FS.readFile("/result.zip");
  program.FS.unlink("/result.zip");
  return bytes;
}

/* ---- clips ---- */

function bytesAt(pointer, count) {
  return program.HEAPU8.slice(pointer, pointer + count);
}

function frameAnswer(code) {
  if (code < 0) throw new Error(call("page_clip_message", "string"));
  const pixels = clipShape.width * clipShape.height;
  if (code === 0) return {};
  return {mask: bytesAt(call("page_clip_mask", "number"), pixels), background: bytesAt(call("page_clip_background", "number"), pixels),
          learned: call("page_clip_learned", "number") === 1, rank: call("page_clip_rank", "number")};
}

const clipKinds = {
  "clip-open": (given) => {
    clipShape = given;
    if (!call("page_clip_open", "number", given.width, given.height, given.frames))
      throw new Error(call("page_clip_message", "string"));
    return {};
  },
  "clip-frame": (given) => {
    program.HEAPU8.set(new Uint8Array(given.rgba), call("page_clip_pixels", "number"));
    return frameAnswer(call("page_clip_next", "number"));
  },
  "clip-sample": (given) => {
    if (!call("page_clip_sample", "number", clipShape.width, clipShape.height, clipShape.frames, given.frame))
      throw new Error(call("page_clip_message", "string"));
    const rgba = bytesAt(call("page_clip_pixels", "number"), 4 * clipShape.width * clipShape.height);
    return {rgba, ...frameAnswer(call("page_clip_next", "number"))};
  },
  "clip-replay": (given) => frameAnswer(call("page_clip_replay", "number", given.frame)),
  "clip-reason": () => ({reason: call("page_clip_reason", "string")}),
};

/* Files of the page's own, as one archive. */
function zipFiles(files) {
  program.FS.mkdir("/pack");
  for (const file of files) program.FS.writeFile("/pack/" + file.name, new Uint8Array(file.bytes));
  const zip = packFolder("/pack");
  empty("/pack");
  program.FS.rmdir("/pack");
  return {zip};
}

function answerTo(given) {
  if (given.kind === "files") return takeFiles(given.files);
  if (given.kind === "sample") return takeSample(given.sample);
  if (given.kind === "anchors") return runAnchors(given.options, given.zip);
  if (given.kind === "zip") return zipFiles(given.files);
  return clipKinds[given.kind](given);
}

onmessage = async (event) => {
  const given = event.data;
  try {
    await start();
    postMessage({id: given.id, ...answerTo(given)});
  } catch (error) {
    postMessage({id: given.id, error: String((error && error.message) || error)});
  }
};
