// Who is at the browser of a test, and what the installation lets them do.
import { useLanguage } from "../src/i18n/i18n";
import { session, type Config } from "../src/session/session";

const OPEN = { read_access: "permission", write_access: "permission", is_enabled: true } as const;
const CONFIG: Config = {
  auth_mode: "hybrid",
  auth_enabled: true,
  local_auth_enabled: true,
  api_key_enabled: true,
  cookie_auth_enabled: false,
  oidc_enabled: false,
  oidc_provider_name: "",
  // Every feature, those to come among them.
  features: new Proxy({}, { has: () => true, get: () => OPEN }) as Config["features"],
  granted: { anonymous: [], identity: [] },
  setup_required: false,
  realtime: { url: "", path: "", protocols: [] },
  version: "0",
};

/** Sign in with these permissions, and speak English; `serve` comes before. */
export async function signIn(...permissions: string[]): Promise<void> {
  await useLanguage("en");
  session.config.set(CONFIG);
  const names = { username: "ada", email: "", display_name: "Ada", kind: "person" };
  session.user.set({ id: 7, ...names, permissions, roles: [] });
}
