// The script of the console's page between the console and the map: the code of that page becomes the login of the map.
import { redeem } from "./session/handover";

const page = document.getElementById("handover");

async function open(code: string, to: string): Promise<void> {
  try {
    await redeem(code);
    // Replaced: whoever goes back does not come to a code that is used up.
    location.replace(to ? `${document.baseURI}#/${to}` : document.baseURI);
  } catch (error) {
    page?.remove();
    document.getElementById("reason")!.textContent = error instanceof Error ? error.message : String(error);
    document.getElementById("failed")!.hidden = false;
  }
}

const code = page?.dataset.code;
if (page && code) {
  delete page.dataset.code;
  void open(code, page.dataset.to ?? "");
}
