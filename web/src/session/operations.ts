// The operations of the API as types, made from the OpenAPI document of the service (document.mjs): `PATCH auth/profile`
// is the name of one, and its path is that of the document below /api/v1/.
import type { components, paths } from "../../generated/document";

/** Requests and answers by the names of their schemas. */
export type Schemas = components["schemas"];
/** What the service calls a problem. */
export type ProblemCode = Schemas["ProblemDocument"]["code"];

type Methods = "get" | "post" | "put" | "patch" | "delete";
type Paths = keyof paths & string;
type Short<P extends string> = P extends `/api/v1/${infer Rest}` ? Rest : P;
type Long<P extends string> = P extends `/${string}` ? P : `/api/v1/${P}`;

/** The names of all operations. */
export type Operation = {
  [P in Paths]: {
    [M in Methods]: paths[P][M] extends { responses: unknown } ? `${Uppercase<M>} ${Short<P>}` : never;
  }[Methods];
}[Paths];

type Of<K extends Operation> = K extends `${infer M} ${infer P}`
  ? paths[Long<P> & Paths][Lowercase<M> & Methods]
  : never;

type Content<R> = R extends { content: { "application/json": infer Body } } ? Body : null;
type Responses<K extends Operation> = Of<K> extends { responses: infer R } ? R : never;

/** What an operation answers: JSON, or null where it has no content. */
export type Answer<K extends Operation> = Content<Responses<K>[keyof Responses<K>]>;
/** The operations whose answers are pages of a list. */
export type Listing = { [K in Operation]: Answer<K> extends Page ? K : never }[Operation];
export interface Page {
  next: string | null;
}
/** The entries of an answer that is a list. */
export type Entries<K extends Operation, N extends keyof Answer<K>> = Answer<K>[N] extends (infer E)[] ? E : never;

type Parameters<K extends Operation> = Of<K> extends { parameters: infer P } ? P : never;
type PathOf<K extends Operation> =
  Parameters<K> extends { path: infer P } ? { path: { [N in keyof P]: P[N] | string } } : { path?: never };

/** The parameters of a query by their names; the values may be texts of an address, which the service checks. */
export type Query<K extends Operation> =
  Parameters<K> extends { query?: infer Q } ? { [N in keyof Q]?: Q[N] | string | null } : never;

type Contents<K extends Operation> =
  Of<K> extends { requestBody?: infer R } ? (NonNullable<R> extends { content: infer C } ? C : never) : never;
/** The JSON that an operation takes. */
export type Body<K extends Operation> = Contents<K> extends { "application/json": infer B } ? B : never;
type Optional<K extends Operation> = Of<K> extends { requestBody: unknown } ? { body: Body<K> } : { body?: Body<K> };
/** JSON, or a text or file of a media type that the operation takes. */
type BodyOf<K extends Operation> = [Contents<K>] extends [never]
  ? { body?: never; raw?: never; type?: never }
  : (Optional<K> & { raw?: never; type?: never }) | { raw: BodyInit; type: keyof Contents<K> & string; body?: never };

/** What goes with a request, besides its path, query and body. */
export interface Carriage {
  signal?: AbortSignal;
  /** Instead of the session's own token. */
  token?: string;
  /** Whether the session is renewed and the request repeated after an answer of 401; true by default. */
  again?: boolean;
}

export type Request<K extends Operation> = PathOf<K> & { query?: Query<K> } & BodyOf<K> & Carriage;
/** Left out where an operation needs nothing. */
export type RequestArguments<K extends Operation> =
  object extends Request<K> ? [request?: Request<K>] : [request: Request<K>];
