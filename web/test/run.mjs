// Bundles the unit tests, which import TypeScript, and runs them with Node's own test runner.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareTexts } from "../texts.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, "..");
const out = join(web, "generated", "tests");
mkdirSync(out, { recursive: true });
// The tests do not need the build, but its texts.
prepareTexts(web, join(web, "generated"));
const tests = readdirSync(here)
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => join(here, name));
const isOfPage = (file) => readFileSync(file, "utf8").includes('from "./dom"');
const options = {
  define: { WORKER_FILE: '"worker.js"', FLAGS_FOLDER: '"flags"' },
  outdir: out,
  bundle: true,
  format: "esm",
  platform: "node",
  external: ["esbuild", "happy-dom"],
  outExtension: { ".js": ".mjs" },
  loader: { ".catalogue": "file", ".topology": "file" },
  logLevel: "warning",
};
await build({ ...options, entryPoints: tests.filter((file) => !isOfPage(file)) });
// Lit has a build for servers, which renders nothing; pages have a document, and want the one for browsers.
await build({ ...options, entryPoints: tests.filter(isOfPage), conditions: ["browser"] });
const files = readdirSync(out)
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => join(out, name));
const { status } = spawnSync(process.execPath, ["--test", "--test-reporter=dot", ...files], { stdio: "inherit" });
process.exit(status ?? 1);
