// Makes the types of requests and answers from the OpenAPI document. Usage: node document.mjs DOCUMENT TYPES
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

const ANY_OBJECT = ts.factory.createTypeReferenceNode("Record", [
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword),
]);

const [from, to] = process.argv.slice(2);
const document = JSON.parse(readFileSync(from, "utf8"));
// Problems have one schema, whatever their status: without them the types are a quarter as long.
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) {
    operation.responses = Object.fromEntries(Object.entries(operation.responses).filter(([status]) => status < "300"));
  }
}
const nodes = await openapiTS(document, {
  // A member of a request that has a default may be left out.
  defaultNonNullable: false,
  // An object whose members the document does not name, which is `Record<string, never>` otherwise.
  transform: (schema) =>
    schema.type === "object" && !schema.properties && schema.additionalProperties === undefined
      ? ANY_OBJECT
      : undefined,
});
writeFileSync(to, astToString(nodes));
