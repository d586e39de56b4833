// Puts the scripts of the first view into few files. esbuild makes a chunk of each set of modules that the same entries
// import, dozens of which are smaller than the head of their request; here whole groups of chunks become one file each.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const hashOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
const isIdentifier = (name) => /^[\w$]+$/.test(name);

/** The scripts that one script needs before it runs, itself included; `outputs` are those of esbuild's metafile. */
export function closureOf(outputs, script, seen = new Set()) {
  if (seen.has(script)) return seen;
  seen.add(script);
  for (const { kind, path } of outputs[script].imports) if (kind === "import-statement") closureOf(outputs, path, seen);
  return seen;
}

/**
 * Which scripts go together: for each group of entries what they need and no group before needs. So a group imports only
 * from itself and from groups before it. Raises an Error for an entry that is not there.
 */
export function groupsOf(outputs, wanted) {
  const taken = new Set();
  return Object.entries(wanted).map(([name, sources]) => {
    const entries = sources.map((source) => {
      const script = Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
      if (!script) throw new Error(`merge: no script begins with ${source}`);
      return script;
    });
    const members = entries
      .flatMap((entry) => [...closureOf(outputs, entry)])
      .filter((path) => !taken.has(path) && taken.add(path));
    return { name, entries, members };
  });
}

/** Under which name its group exports something of a script: entries keep their names, which `import()` asks for. */
function exportedAs(group, path, name) {
  return group.entries.includes(path) ? name : `${basename(path, ".js").replaceAll(/\W/g, "_")}_${name}`;
}

function reexports(outputs, group, pick) {
  return group.members.flatMap((path) =>
    outputs[path].exports.map((name) => {
      if (!isIdentifier(name)) throw new Error(`merge: ${path} exports ${name}`);
      return pick(path, name);
    }),
  );
}

/**
 * Merge the scripts in `folder` by `wanted`, a name of a group -> its entries (paths of sources), and remove those that
 * were merged. Returns source of an entry -> its file, file -> files it imports first, and the names of all scripts.
 */
export async function merge(folder, here, outputs, wanted) {
  const scripts = Object.keys(outputs).filter((path) => path.endsWith(".js"));
  const groups = groupsOf(outputs, wanted);
  const groupOf = new Map(groups.flatMap((group) => group.members.map((path) => [path, group])));
  // Every name changes with every merged file: what a script imports is part of its content.
  const salt = hashOf(JSON.stringify([scripts.sort(), wanted]));
  const fileOf = (path) => {
    const group = groupOf.get(path);
    if (group) return `${group.name}-${hashOf(salt + group.members.join())}.js`;
    return `${basename(path, ".js").replace(/-[^-]*$/, "")}-${hashOf(salt + path)}.js`;
  };
  const byName = new Map(scripts.map((path) => [basename(path), path]));
  const written = new Map();
  const imports = new Map();
  const make = async (file, members, contents) => {
    const result = await build({
      stdin: { contents, resolveDir: folder, loader: "js" },
      bundle: true,
      format: "esm",
      target: "es2022",
      minify: true,
      legalComments: "none",
      write: false,
      metafile: true,
      logLevel: "warning",
      plugins: [
        { name: "merge", setup: (one) => redirect(one, { outputs, byName, groupOf, fileOf, members, folder }) },
      ],
    });
    written.set(file, result.outputFiles[0].text);
    const [output] = Object.values(result.metafile.outputs);
    imports.set(
      file,
      output.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => basename(path)),
    );
  };
  for (const group of groups) {
    const names = reexports(outputs, group, (path, name) => [path, name, exportedAs(group, path, name)]);
    const twice = names.map(([, , as]) => as).find((as, at, all) => all.indexOf(as) !== at);
    if (twice) throw new Error(`merge: two scripts of ${group.name} export ${twice}`);
    const lines = [
      ...group.entries.map((path) => `import "./${basename(path)}";`),
      ...names.map(([path, name, as]) => `export { ${name} as ${as} } from "./${basename(path)}";`),
    ];
    await make(fileOf(group.members[0]), new Set(group.members), lines.join("\n"));
  }
  for (const path of scripts.filter((one) => !groupOf.has(one))) {
    const text = `import "./${basename(path)}";\n${outputs[path].exports.length ? `export * from "./${basename(path)}";` : ""}`;
    await make(fileOf(path), new Set([path]), text);
  }
  for (const path of scripts) rmSync(join(folder, basename(path)));
  for (const [file, text] of written) writeFileSync(join(folder, file), text);
  const entries = scripts
    .filter((path) => outputs[path].entryPoint)
    .map((path) => [outputs[path].entryPoint, fileOf(path)]);
  return { files: Object.fromEntries(entries), imports, names: [...written.keys()] };
}

/** Within a file its own scripts are bundled; others are imported from the files that they are in. */
function redirect(plugin, { outputs, byName, groupOf, fileOf, members, folder }) {
  plugin.onResolve({ filter: /.*/ }, ({ path: name, kind }) => {
    const path = byName.get(basename(name));
    if (!path || name.startsWith("..")) return { path: name, external: true };
    if (kind === "dynamic-import") return { path: `./${fileOf(path)}`, external: true };
    if (members.has(path)) return { path: join(folder, basename(path)) };
    if (groupOf.has(path)) return { path, namespace: "elsewhere" };
    return { path: `./${fileOf(path)}`, external: true };
  });
  plugin.onLoad({ filter: /.*/, namespace: "elsewhere" }, ({ path }) => {
    const group = groupOf.get(path);
    const names = outputs[path].exports.map((name) => `${exportedAs(group, path, name)} as ${name}`);
    return {
      contents: names.length
        ? `export { ${names.join(", ")} } from "./${fileOf(path)}";`
        : `import "./${fileOf(path)}";`,
      loader: "js",
      resolveDir: folder,
    };
  });
}
