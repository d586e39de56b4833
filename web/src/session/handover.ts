// One sign-in for the application and the console: each goes on with the login of the other.
import { preferences } from "../core/preferences";
import { language } from "../i18n/i18n";
import { ApiError, call, send } from "./api";
import { session } from "./session";

/** The addresses of the console that want a session. */
const CONSOLE = new URL("console", document.baseURI);
const ENTER = `${CONSOLE.href}/enter`;
const OPEN_PAGES = ["/sign-in", "/setup", "/reset"];

/** Whether somebody with these permissions finds anything to do in the console. */
export function mayAdminister(permissions: readonly string[]): boolean {
  return permissions.some((name) => name === "system.manage" || name.startsWith("users.") || name.startsWith("roles."));
}

/** Whether an address is a page of the console that is open to a session alone. */
export function needsSession(address: URL, home: URL): boolean {
  if (address.origin !== home.origin) return false;
  const below = address.pathname === home.pathname || address.pathname.startsWith(`${home.pathname}/`);
  return below && !OPEN_PAGES.some((page) => address.pathname.slice(home.pathname.length).startsWith(page));
}

/** Begin a session of the console for this login, in the language that the reader has chosen here. */
export async function enterConsole(): Promise<void> {
  const token = await session.headerToken();
  const address = preferences.value.language ? `${ENTER}?language=${language.value}` : ENTER;
  if (token) await send(address, { method: "POST", token, again: false });
}

/** Follow links into the console with the login of this page; where that is refused, the console says why. */
export function openConsoleLinks(): void {
  window.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
      return;
    const link = event.composedPath().find((one): one is HTMLAnchorElement => one instanceof HTMLAnchorElement);
    if (!link || link.target || !needsSession(new URL(link.href), CONSOLE)) return;
    const user = session.user.value;
    if (!user || !mayAdminister(user.permissions)) return;
    event.preventDefault();
    const go = (): void => location.assign(link.href);
    enterConsole().then(go, (error: unknown) => {
      console.warn(
        "The console does not take the login of this page:",
        error instanceof ApiError ? error.message : error,
      );
      go();
    });
  });
}

/** Tokens for a code of the console, in the place of those of this browser. What those belonged to ends. */
export async function redeem(code: string): Promise<void> {
  let former: { access: string; refresh: string } | null = null;
  await session.replace(async () => {
    const { access, refresh } = session;
    const pair = await call("POST auth/handover", { body: { code }, again: false });
    if (access && refresh && loginOf(access) !== loginOf(pair.access)) former = { access, refresh };
    return pair;
  });
  if (former) await end(former);
}

/** End the login that was here before; one that is over already needs nothing. */
async function end({ access, refresh }: { access: string; refresh: string }): Promise<void> {
  await call("POST auth/logout", { body: { refresh }, token: access, again: false }).catch((error: unknown) =>
    console.warn("The login that was here before could not be ended:", error),
  );
}

/** The login that a token belongs to. */
export function loginOf(token: string): string | null {
  try {
    return (
      (JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"))) as { sid?: string }).sid ?? null
    );
  } catch {
    return null;
  }
}
