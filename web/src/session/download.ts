// Files of the service, fetched with the session's token: an address with a token in it could be passed on.
import { inform } from "../ui/announce";
import { ask } from "./api";
import { faultText } from "./fault";
import type { Operation, Request, RequestArguments } from "./operations";

/** Fetch what an operation answers and store it as a file of this name. */
export async function download<K extends Operation>(operation: K, request: Request<K>, name: string): Promise<void> {
  try {
    const body = await (await ask(operation, ...([request] as RequestArguments<K>))).blob();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(body);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    inform(faultText(error), "error");
  }
}
