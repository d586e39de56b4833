// The script of the console's page between the console and the map: the code of that page becomes the login of the map.
import { redeem } from "./session/handover";

const page = document.getElementById("handover");

async function open(code: string): Promise<void> {
  try {
    await redeem(code);
    location.replace(document.baseURI);
  } catch (error) {
    page?.remove();
    document.getElementById("reason")!.textContent = error instanceof Error ? error.message : String(error);
    document.getElementById("failed")!.hidden = false;
  }
}

const code = page?.dataset.code;
if (page && code) {
  delete page.dataset.code;
  void open(code);
}
