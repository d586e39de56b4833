// Builds the application into one folder of files whose names carry the hash of their content.
// Usage: node build.mjs [--out FOLDER] [--airports FILE]
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { prepareData } from "./data.mjs";
import { iconPng } from "./icons.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const options = Object.fromEntries(
  process.argv.slice(2).flatMap((word, at, all) => (word.startsWith("--") ? [[word.slice(2), all[at + 1]]] : [])),
);
const final = resolve(options.out ?? join(here, "..", "skywatch", "web", "built"));
const out = `${final}.new`;
const assets = join(out, "assets");
const generated = join(here, "generated");

rmSync(out, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });
prepareData(here, generated, options.airports);

const common = {
  absWorkingDir: here,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  outdir: assets,
  logLevel: "warning",
  metafile: true,
  loader: { ".woff2": "file", ".topology": "file", ".catalogue": "file", ".airports": "file", ".svg": "file" },
};

function entryOf(result, source) {
  const found = Object.entries(result.metafile.outputs).find(([, output]) => output.entryPoint === source);
  return { script: found[0].split("/").pop(), style: found[1].cssBundle?.split("/").pop() };
}

const worker = await build({ ...common, entryPoints: ["src/live/worker.ts"], entryNames: "[name]-[hash]" });
const application = await build({
  ...common,
  entryPoints: ["src/boot.ts"],
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  splitting: true,
  define: { WORKER_FILE: JSON.stringify(`./${entryOf(worker, "src/live/worker.ts").script}`) },
});
const { script, style } = entryOf(application, "src/boot.ts");

// What the first view needs besides, asked for while the first script is still on its way.
const outputs = application.metafile.outputs;
const nameOf = (path) => path.split("/").pop();
const withImports = (path, seen = new Set()) => {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const one of outputs[path].imports) if (one.kind === "import-statement") withImports(one.path, seen);
  return seen;
};
const frame = Object.keys(outputs).find((path) => outputs[path].entryPoint === "src/shell/app.ts");
const bootScripts = [...withImports(Object.keys(outputs).find((path) => nameOf(path) === script))].map(nameOf);
const frameScripts = [...withImports(frame)].map(nameOf).filter((name) => !bootScripts.includes(name));
const map = Object.keys(outputs).find((path) => outputs[path].entryPoint === "src/map/map.ts");
const mapScripts = [...withImports(map)].map(nameOf).filter((name) => !bootScripts.includes(name) && !frameScripts.includes(name));
const firstScripts = [...bootScripts, ...frameScripts, ...mapScripts];
const fonts = Object.keys(outputs).map(nameOf).filter((name) => /^b612-(mono-)?latin-400-normal-.*\.woff2$/.test(name));
// A browser has six connections: what boot.ts asks for (texts, session, worker) must not wait behind the map and fonts,
// so boot.ts gives those links their `rel` once the texts are here.
const preloads = [
  ...[...bootScripts, ...frameScripts].map((name) => `<link rel="modulepreload" href="assets/${name}">`),
  ...mapScripts.map((name) => `<link data-rel="modulepreload" href="assets/${name}" fetchpriority="low">`),
  ...fonts.map((name) => `<link data-rel="preload" as="font" type="font/woff2" href="assets/${name}" fetchpriority="low" crossorigin>`),
];

cpSync(join(here, "public"), out, { recursive: true });
for (const size of [192, 512]) writeFileSync(join(out, `icon-${size}.png`), iconPng(size));
const page = readFileSync(join(here, "src", "index.html"), "utf8")
  .replace("<!-- preloads -->", preloads.join("\n    "))
  .replaceAll("{{script}}", `assets/${script}`)
  .replaceAll("{{style}}", `assets/${style}`);
writeFileSync(join(out, "index.html"), page);

// The service worker keeps the files of this build; its own text changes with them. Detailed land is kept when it was seen.
const names = [...Object.keys(outputs), ...Object.keys(worker.metafile.outputs)].map((path) => path.split("/").pop());
const version = createHash("sha256").update(names.sort().join()).digest("hex").slice(0, 12);
const keeper = readFileSync(join(here, "src", "keeper.js"), "utf8")
  .replace("{{version}}", version)
  .replace(`["{{files}}"]`, JSON.stringify(names.filter((name) => /\.(js|css|catalogue)$|-400-normal-.*\.woff2$|110m-/.test(name)).map((name) => `assets/${name}`)));
writeFileSync(join(out, "keeper.js"), keeper);

// Packed once, here, and not for every request.
for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || /\.(png|woff2|gz)$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const body = readFileSync(path);
  const packed = gzipSync(body, { level: 9 });
  if (packed.length < body.length * 0.9) writeFileSync(`${path}.gz`, packed);
}
rmSync(final, { recursive: true, force: true });
renameSync(out, final);

const size = (name) => gzipSync(readFileSync(join(final, "assets", name)), { level: 9 }).length;
const kilobytes = (list) => Math.round(list.reduce((sum, name) => sum + size(name), 0) / 1000);
console.log(`Built ${names.length} files; scripts of the first view: ${kilobytes([...firstScripts, entryOf(worker, "src/live/worker.ts").script])} kB compressed.`);
