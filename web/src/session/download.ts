// Files of the service, fetched with the session's token: an address with a token in it could be passed on.
import { inform } from "../ui/announce";
import { request } from "./api";
import { faultText } from "./fault";

export async function download(path: string, query: Record<string, string>, name: string): Promise<void> {
  try {
    const body = await (await request(path, { query })).blob();
    const link = document.createElement("a");
    link.href = URL.createObjectURL(body);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    inform(faultText(error), "error");
  }
}
