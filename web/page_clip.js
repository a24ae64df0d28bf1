/* Clips: decoded by the browser, frame by frame, separated by the program; then shown with a slider. */
"use strict";

const CLIP_WIDTH = 480, CLIP_FRAMES = 400, CLIP_LEAST = 20;
let clip = null; /* {name, width, height, rate, frames: [{rgba, mask, background}], reason} */

const soon = (target, name) => new Promise((resolve, reject) => {
  target.addEventListener(name, resolve, {once: true});
  target.addEventListener("error", () => reject(new Error("this browser cannot decode the clip; try .mp4 (H.264) or .webm")),
                          {once: true});
});

/* Frames per second from the times of the first frames that are shown; 25 where the browser does not tell them. */
async function rateOf(video) {
  if (!video.requestVideoFrameCallback) return 25;
  const times = [];
  const enough = new Promise((resolve) => {
    const note = (now, frame) => {
      times.push(frame.mediaTime);
      if (times.length < 12) video.requestVideoFrameCallback(note);
      else resolve();
    };
    video.requestVideoFrameCallback(note);
    setTimeout(resolve, 3000);
  });
  await video.play().catch(() => {});
  await Promise.race([enough, soon(video, "ended")]);
  video.pause();
  const gaps = times.slice(1).map((t, i) => t - times[i]).filter((gap) => gap > 1e-4).sort((a, b) => a - b);
  if (gaps.length < 3) return 25;
  return Math.max(1, Math.min(120, Math.round(100 / gaps[Math.floor(gaps.length / 4)]) / 100)); /* dropped frames make gaps longer */
}

async function openVideo(file) {
  const video = document.createElement("video");
  video.muted = true;
  video.playsInline = true;
  video.preload = "auto";
  video.src = URL.createObjectURL(file);
  await soon(video, "loadeddata");
  if (!Number.isFinite(video.duration)) { /* of recordings the length is known at the end only */
    video.currentTime = 1e7;
    await soon(video, "seeked");
  }
  return video;
}

/* The times of its frames, in their middle; more than CLIP_FRAMES are thinned out. */
function frameTimes(duration, rate) {
  const count = Math.max(1, Math.round(duration * rate)), step = Math.ceil(count / CLIP_FRAMES), times = [];
  for (let f = 0; f < count; f += step) times.push(Math.min((f + 0.5) / rate, duration - 1e-3));
  return {times, rate: rate / step};
}

/* A frame goes to the program; at the end of the warm-up the frames before it get their masks too. */
async function separate(frame, message) {
  const answer = await engine.ask(message);
  clip.frames.push({rgba: message.rgba || answer.rgba, mask: answer.mask, background: answer.background});
  if (!answer.learned) return;
  clip.rank = answer.rank;
  clip.reason = (await engine.ask({kind: "clip-reason"})).reason;
  for (let i = 0; i <= frame; i++) {
    showProgress({phase: "learn", done: i, total: frame + 1});
    const again = await engine.ask({kind: "clip-replay", frame: i});
    Object.assign(clip.frames[i], {mask: again.mask, background: again.background});
  }
}

function finishClip() {
  $("matrix").hidden = true;
  $("clip").hidden = false;
  $("frame").max = clip.frames.length - 1;
  $("frame").value = 0;
  $("clip-summary").textContent = `${clip.name}: ${clip.frames.length} frames of ${clip.width} x ${clip.height}, ` +
    `${clip.rate.toFixed(2)} a second. Background of ${clip.rank} factor${clip.rank === 1 ? "" : "s"}: ${clip.reason}.`;
  clip.share = clip.frames.map(({mask}) => (mask ? mask.reduce((sum, v) => sum + (v > 0), 0) / mask.length : 0));
  showClip();
  $("clip").dataset.complete = String(clip.frames.length);
}

async function takeClip(file) {
  delete $("clip").dataset.complete;
  generation++;
  await during("Reading the clip", async () => {
    const video = await openVideo(file), given = await rateOf(video);
    const {times, rate} = frameTimes(video.duration, given);
    if (times.length < CLIP_LEAST) throw new Error(`${file.name}: ${times.length} frames; the background is learned from ${CLIP_LEAST} or more`);
    const scale = Math.min(1, CLIP_WIDTH / video.videoWidth);
    const width = Math.round(video.videoWidth * scale), height = Math.round(video.videoHeight * scale);
    const pen = Object.assign(document.createElement("canvas"), {width, height}).getContext("2d", {willReadFrequently: true});
    clip = {name: file.name, width, height, rate, frames: []};
    await engine.ask({kind: "clip-open", width, height, frames: times.length});
    for (let f = 0; f < times.length; f++) {
      showProgress({phase: "decode", done: f, total: times.length});
      const seeked = soon(video, "seeked");
      video.currentTime = times[f];
      await seeked;
      pen.drawImage(video, 0, 0, width, height);
      await separate(f, {kind: "clip-frame", rgba: pen.getImageData(0, 0, width, height).data});
    }
    URL.revokeObjectURL(video.src);
    finishClip();
  });
}

/* The film of `conehull demo`, made by the program. */
async function sampleClip() {
  const width = 160, height = 120, frames = 120;
  delete $("clip").dataset.complete;
  generation++;
  await during("Making the clip", async () => {
    clip = {name: "a film with a known answer", width, height, rate: 25, frames: []};
    await engine.ask({kind: "clip-open", width, height, frames});
    for (let f = 0; f < frames; f++) {
      showProgress({phase: "decode", done: f, total: frames});
      await separate(f, {kind: "clip-sample", frame: f});
    }
    finishClip();
  });
}

/* ---- showing ---- */

function drawGray(canvas, values) {
  canvas.width = clip.width;
  canvas.height = clip.height;
  const pen = canvas.getContext("2d"), image = pen.createImageData(clip.width, clip.height);
  for (let i = 0; i < values.length; i++) image.data.set([values[i], values[i], values[i], 255], 4 * i);
  pen.putImageData(image, 0, 0);
}

function drawOverlay(canvas, frame) {
  canvas.width = clip.width;
  canvas.height = clip.height;
  const pen = canvas.getContext("2d"), image = pen.createImageData(clip.width, clip.height);
  image.data.set(frame.rgba);
  for (let i = 0; frame.mask && i < frame.mask.length; i++) {
    if (!frame.mask[i]) continue;
    image.data[4 * i] = 0.4 * image.data[4 * i] + 150;
    image.data[4 * i + 1] *= 0.5;
    image.data[4 * i + 2] *= 0.5;
  }
  pen.putImageData(image, 0, 0);
}

function showClip() {
  if (!clip || $("clip").hidden) return;
  const f = +$("frame").value, frame = clip.frames[f], share = clip.share[f];
  $("frame-value").textContent = `${f} of ${clip.frames.length}, ${(f / clip.rate).toFixed(2)} s, ${(100 * share).toFixed(1)} % moves`;
  drawOverlay($("overlay"), frame);
  if (frame.background) drawGray($("background"), frame.background);
  $("overlay").setAttribute("aria-label", `Frame ${f}: ${(100 * share).toFixed(1)} % of the picture moves`);
  $("background").setAttribute("aria-label", `Background of frame ${f}`);
  charts.lines($("activity"), [{x: clip.share.map((_, i) => i), y: clip.share.map((v) => 100 * v), colour: charts.line(0)}],
               {x: "frame (vertical: % of the picture)", whole: true}, f);
  $("activity").setAttribute("aria-label", `Share of the picture that moves in ${clip.frames.length} frames`);
}

document.getElementById("frame").oninput = () => showClip();

let playing = 0;
document.getElementById("play").onclick = () => {
  const button = $("play");
  clearInterval(playing);
  playing = playing ? 0 : setInterval(() => {
    $("frame").value = (+$("frame").value + 1) % clip.frames.length;
    showClip();
  }, Math.max(40, 1000 / clip.rate));
  button.textContent = playing ? "Pause" : "Play";
  button.setAttribute("aria-pressed", String(playing > 0));
};

/* ---- download ---- */

const pngOf = (canvas) => new Promise((resolve) => canvas.toBlob(async (blob) => resolve(await blob.arrayBuffer()), "image/png"));

document.getElementById("clip-download").onclick = () => during("Packing", async () => {
  const canvas = document.createElement("canvas"), files = [];
  for (let f = 0; f < clip.frames.length; f++) {
    showProgress({phase: "Packing", done: f, total: clip.frames.length});
    if (!clip.frames[f].mask) continue;
    drawGray(canvas, clip.frames[f].mask);
    files.push({name: `mask-${String(f).padStart(6, "0")}.png`, bytes: await pngOf(canvas)});
  }
  drawGray(canvas, clip.frames[clip.frames.length - 1].background);
  files.push({name: "background.png", bytes: await pngOf(canvas)});
  const lines = clip.share.map((v, f) => `${f},${(f / clip.rate).toFixed(4)},${v.toFixed(6)}`);
  files.push({name: "activity.csv", bytes: new TextEncoder().encode("frame,seconds,share\n" + lines.join("\n") + "\n")});
  save((await engine.ask({kind: "zip", files})).zip, clip.name.replace(/\.[^.]*$/, "").replace(/[^\w-]+/g, "-") + "-masks.zip");
});
