// The live demonstration: a released DSA in the browser, with alpha as an input.
import { tokenize } from "./tokenizer.js";

const FILES = { runtime: "ort-wasm-simd-threaded.wasm", model: "model.onnx",
  words: "vocabulary.txt", settings: "settings.json" };
const DIRECTIONS = ["forward", "backward"];
const MOST_TOKENS = 40; // of a sentence; the others are ignored
const element = (id) => document.getElementById(id);
const state = {};

function show(message, isError = false) {
  element("status").textContent = message;
  element("status").classList.toggle("error", isError);
}

// Downloads all files with one progress bar over their bytes.
async function download(names) {
  const responses = await Promise.all(Object.values(names).map((name) => fetch(name)));
  const failed = responses.find((response) => !response.ok);
  if (failed) throw new Error(`${failed.url}: ${failed.status}`);
  const sizes = responses.map((r) => Number(r.headers.get("Content-Length")) || 0);
  const total = sizes.reduce((a, b) => a + b, 0) || 24e6;
  let received = 0;
  const contents = await Promise.all(responses.map(async (response) => {
    const chunks = [], reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      chunks.push(part.value);
      received += part.value.length;
      element("progress").value = Math.min(received / total, 1);
      show(`Loading the model: ${(received / 1e6).toFixed(1)} MB`);
    }
    return new Uint8Array(await new Blob(chunks).arrayBuffer());
  }));
  return Object.fromEntries(Object.keys(names).map((key, i) => [key, contents[i]]));
}

async function start() {
  if (typeof WebAssembly !== "object") {
    throw new Error("This demonstration needs WebAssembly, which this browser does not provide.");
  }
  if (location.protocol === "file:") {
    throw new Error("Open this page through a web server: browsers do not load a model from file://.");
  }
  const ort = await import("./ort.wasm.min.mjs");
  const files = await download(FILES);
  const text = new TextDecoder();
  state.settings = JSON.parse(text.decode(files.settings));
  const words = text.decode(files.words).split("\n").slice(0, -1);
  state.ids = new Map(words.map((word, n) => [word, n + state.settings.first_word]));
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = files.runtime;
  state.ort = ort;
  state.session = await ort.InferenceSession.create(files.model);
  element("progress").hidden = true;
  element("alpha").disabled = false;
  show("");
  await update();
}

function readTokens(id) {
  const tokens = tokenize(element(id).value).slice(0, MOST_TOKENS);
  return tokens.length ? tokens : ["?"];
}

// Returns probabilities by label and attention maps by name for two token lists.
export async function predict(premise, hypothesis, alpha) {
  const { ort, settings, ids, session } = state;
  const word = (token) => settings.lowercase ? token.toLowerCase() : token;
  const input = (tokens) => {
    const numbers = tokens.map((token) => ids.get(word(token)) ?? settings.unknown);
    return new ort.Tensor("int32", Int32Array.from(numbers), [1, tokens.length]);
  };
  const outputs = await session.run({ premise: input(premise), hypothesis: input(hypothesis),
    alpha: new ort.Tensor("float32", [alpha], []) });
  const logits = Array.from(outputs.logits.data);
  const powers = logits.map((logit) => Math.exp(logit - Math.max(...logits)));
  const sum = powers.reduce((a, b) => a + b, 0);
  const shares = settings.labels.map((label, n) => [label, powers[n] / sum]);
  return { probabilities: Object.fromEntries(shares), maps: outputs };
}

function drawProbabilities(probabilities) {
  const best = Object.keys(probabilities).reduce((a, b) => probabilities[a] >= probabilities[b] ? a : b);
  element("answer").textContent = best;
  element("shares").replaceChildren(...Object.entries(probabilities).map(([label, share]) => {
    const row = document.createElement("div"), bar = document.createElement("span");
    bar.style.width = `${100 * share}%`;
    row.append(bar, `${label} ${(100 * share).toFixed(1)} %`);
    return row;
  }));
}

// Draws a square map as a table: row = attending word, column = attended word.
function drawMap(id, tokens, weights, caption) {
  const unknown = (token) => !state.ids.has(state.settings.lowercase ? token.toLowerCase() : token);
  const header = (token, scope) => {
    const cell = document.createElement("th"), label = document.createElement("span");
    cell.scope = scope;
    label.textContent = token;
    cell.classList.toggle("unknown", unknown(token));
    cell.append(label);
    return cell;
  };
  const table = element(id), head = document.createElement("tr");
  head.append(document.createElement("td"), ...tokens.map((token) => header(token, "col")));
  const rows = tokens.map((token, i) => {
    const row = document.createElement("tr");
    row.append(header(token, "row"), ...tokens.map((other, j) => {
      const cell = document.createElement("td"), weight = weights[i * tokens.length + j];
      cell.style.setProperty("--weight", weight.toFixed(3));
      cell.title = `${token} → ${other}: ${weight.toFixed(3)}`;
      return cell;
    }));
    return row;
  });
  const title = document.createElement("caption");
  title.textContent = caption;
  table.replaceChildren(title, head, ...rows);
}

async function update() {
  const alpha = Number(element("alpha").value);
  element("alpha-value").textContent = alpha.toFixed(1);
  state.wanted = state.wanted + 1 || 1;
  if (!state.session || state.running) return;
  state.running = true;
  try {
    for (let drawn = -1; drawn !== state.wanted;) {
      drawn = state.wanted;
      const premise = readTokens("premise"), hypothesis = readTokens("hypothesis");
      const { probabilities, maps } = await predict(premise, hypothesis, Number(element("alpha").value));
      drawProbabilities(probabilities);
      const sentence = document.querySelector("input[name=sentence]:checked").value;
      const tokens = sentence === "premise" ? premise : hypothesis;
      for (const direction of DIRECTIONS) {
        const caption = direction === "forward" ? "to the words before (forward)" : "to the words after (backward)";
        drawMap(direction, tokens, maps[`${sentence}_${direction}`].data, caption);
      }
      document.body.dataset.drawn = JSON.stringify(probabilities);
    }
  } finally {
    state.running = false;
  }
}

for (const id of ["premise", "hypothesis", "alpha"]) element(id).addEventListener("input", update);
for (const choice of document.querySelectorAll("input[name=sentence]")) choice.addEventListener("change", update);
window.demo = { predict, tokenize };
start().catch((error) => {
  element("progress").hidden = true;
  show(error.message, true);
});
