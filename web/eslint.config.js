import { readdirSync } from "node:fs";
import { join } from "node:path";
import tseslint from "typescript-eslint";
import { ROOMS } from "./rooms.mjs";

/** Forbids imports from these folders, which `message` explains. */
function without(files, folders, message) {
  const patterns = [{ regex: `^(\\.\\./)+(${folders.join("|")})(/|$)`, message }];
  return { files: [files], rules: { "no-restricted-imports": ["error", { patterns }] } };
}

const features = readdirSync(join(import.meta.dirname, "src", "features"));
const floors = [
  ...ROOMS.slice(0, -1).map((room, at) =>
    without(`src/${room}/**/*.ts`, [...ROOMS.slice(at + 1), "boot"], "Imports go down only (rooms.mjs)."),
  ),
  ...features.map((name) =>
    without(
      `src/features/${name}/**/*.ts`,
      ["features", "boot", ...features.filter((one) => one !== name)],
      "Features do not import each other.",
    ),
  ),
];

export default tseslint.config(
  { ignores: ["generated/", "node_modules/"] },
  ...tseslint.configs.strict,
  {
    files: ["src/**/*.ts", "test/**/*.ts"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      "@typescript-eslint/no-floating-promises": [
        "error",
        { allowForKnownSafeCalls: [{ from: "package", package: "node:test", name: "test" }] },
      ],
      "@typescript-eslint/no-misused-promises": [
        "error",
        { checksVoidReturn: { attributes: false, arguments: false, properties: false } },
      ],
      "@typescript-eslint/explicit-function-return-type": ["error", { allowExpressions: true }],
      "@typescript-eslint/no-dynamic-delete": "off",
      "@typescript-eslint/no-invalid-void-type": "off",
      eqeqeq: "error",
      "no-restricted-syntax": [
        "error",
        { selector: "CallExpression[callee.name='unsafeHTML']", message: "Texts of others are shown as text." },
        {
          selector: "AssignmentExpression[left.property.name=/^(innerHTML|outerHTML)$/]",
          message: "Texts of others are shown as text.",
        },
      ],
    },
  },
  ...floors,
);
