interface Output {
  entryPoint?: string;
  imports: { path: string; kind: string }[];
}
export function closureOf(outputs: Record<string, Output>, script: string): Set<string>;
export function groupsOf(
  outputs: Record<string, Output>,
  wanted: Record<string, string[]>,
): { name: string; entries: string[]; members: string[] }[];
