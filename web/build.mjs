// Builds the application into one folder of files whose names carry the hash of their content.
// Usage: node build.mjs [--out FOLDER] [--airports FILE] [--runways FILE]
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { copyFlags, prepareData } from "./data.mjs";
import { iconPng } from "./icons.mjs";
import { merge } from "./merge.mjs";

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
const flagsFolder = copyFlags(here, assets);
const ground = prepareData(here, generated, options);
mkdirSync(join(assets, ground.folder));
for (const [name, text] of ground.files) writeFileSync(join(assets, ground.folder, name), text);
if (ground.airports.length) writeFileSync(join(out, "airports.json"), JSON.stringify(ground.airports));
writeFileSync(join(out, "towns.txt"), ground.towns);

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
  loader: { ".woff2": "file", ".topology": "file", ".catalogue": "file", ".svg": "file" },
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
  define: {
    WORKER_FILE: JSON.stringify(`./${entryOf(worker, "src/live/worker.ts").script}`),
    GROUND_CELLS: JSON.stringify({ folder: ground.folder, ...ground.maps }),
    FLAGS_FOLDER: JSON.stringify(`./${flagsFolder}`),
  },
});
// What the console's pages take from here: the fonts, and the script that goes on with the console's login.
await build({
  ...common,
  outdir: out,
  entryPoints: ["src/style/fonts.css"],
  entryNames: "fonts",
  assetNames: "assets/[name]-[hash]",
});
await build({ ...common, outdir: out, entryPoints: ["src/handover.ts"], entryNames: "handover" });
const { style } = entryOf(application, "src/boot.ts");

// What the first view needs, in few files: every request costs a slow line the time of some kilobytes.
const merged = await merge(assets, here, application.metafile.outputs, {
  boot: ["src/boot.ts"],
  frame: ["src/shell/app.ts", "src/shell/bell.ts", "src/map/planes/gl.ts"],
  map: ["src/map/map.ts"],
});
const { "src/boot.ts": script, "src/shell/app.ts": frame, "src/map/map.ts": map } = merged.files;
const outputs = application.metafile.outputs;
const nameOf = (path) => path.split("/").pop();
const fonts = Object.keys(outputs)
  .map(nameOf)
  .filter((name) => /^b612-(mono-)?latin-400-normal-.*\.woff2$/.test(name));
// A browser has six connections: what boot.ts asks for (texts, session, worker) must not wait behind the map and fonts,
// so boot.ts gives those links their `rel` once the texts are here.
const preloads = [
  ...[script, frame].map((name) => `<link rel="modulepreload" href="assets/${name}">`),
  `<link data-rel="modulepreload" href="assets/${map}" fetchpriority="low">`,
  ...fonts.map(
    (name) =>
      `<link data-rel="preload" as="font" type="font/woff2" href="assets/${name}" fetchpriority="low" crossorigin>`,
  ),
];

cpSync(join(here, "public"), out, { recursive: true });
for (const size of [192, 512]) writeFileSync(join(out, `icon-${size}.png`), iconPng(size));
const page = readFileSync(join(here, "src", "index.html"), "utf8")
  .replace("<!-- preloads -->", preloads.join("\n    "))
  .replaceAll("{{script}}", `assets/${script}`)
  .replaceAll("{{style}}", `assets/${style}`);
writeFileSync(join(out, "index.html"), page);

// The service worker keeps the files of this build; its own text changes with them. Detailed land is kept when it was seen.
const others = [
  ...Object.keys(outputs).filter((path) => !path.endsWith(".js")),
  ...Object.keys(worker.metafile.outputs),
];
const names = [...merged.names, ...others.map(nameOf)];
const version = createHash("sha256").update(names.sort().join()).digest("hex").slice(0, 12);
const keeper = readFileSync(join(here, "src", "keeper.js"), "utf8")
  .replace("{{version}}", version)
  .replace(
    `["{{files}}"]`,
    JSON.stringify(
      names
        .filter((name) => /\.(js|css|catalogue)$|-400-normal-.*\.woff2$|110m-/.test(name))
        .map((name) => `assets/${name}`),
    ),
  );
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
console.log(
  `Built ${names.length} files; scripts of the first view: ${kilobytes([script, frame, map, entryOf(worker, "src/live/worker.ts").script])} kB compressed.`,
);
