// Signing in: by name and password, or with an identity provider in a window of its own.
import { html, nothing, type TemplateResult } from "lit";
import { go, route } from "../../core/address";
import { View } from "../../ui/view";
import { saidIn, t } from "../../i18n/i18n";
import { ApiError, call } from "../../session/api";
import { faultText } from "../../session/fault";
import type { ProblemCode, Schemas } from "../../session/operations";
import { session, type User } from "../../session/session";
import { logIn } from "../../session/signing";
import { setupHint } from "./setup_hint";

const POPUP = "popup,width=520,height=680";
const LOOK_MS = 500;

type Provider = Schemas["ProviderEntry"];

type Answer =
  | { type: "skywatch.login"; access: string; refresh: string; user: User }
  | { type: "skywatch.login_failed"; detail: string; code: ProblemCode; detail_code?: string; detail_params?: unknown };

class Login extends View {
  private error = "";
  private isBusy = false;
  private providers: Provider[] = [];

  constructor() {
    super();
    this.watch(session.config, session.status);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.findProviders();
  }

  private async findProviders(): Promise<void> {
    if (!session.config.value?.oidc_enabled) return;
    try {
      const { providers } = await call("GET auth/oidc/providers");
      this.providers = providers;
    } catch {
      this.providers = []; // One button with the configured name is shown.
    }
    this.requestUpdate();
  }

  private done(): void {
    go(route.value.query.next ?? "map");
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    const asked = route.value.page;
    this.error = "";
    this.isBusy = true;
    this.requestUpdate();
    try {
      await work();
      // Whoever has opened another page meanwhile stays there.
      if (route.value.page === asked) this.done();
    } catch (error) {
      this.error = faultText(error);
    } finally {
      this.isBusy = false;
      this.requestUpdate();
    }
  }

  private readonly submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void this.attempt(() => logIn(String(form.get("username")), String(form.get("password"))));
  };

  private signOn(provider: string | null): void {
    // Opened at once, as browsers allow it only in answer to a click.
    const popup = window.open("about:blank", "skywatch-sign-on", POPUP);
    if (!popup) {
      this.error = t("login.popup_blocked");
      this.requestUpdate();
      return;
    }
    void this.attempt(async () => {
      const query = provider ? { provider } : {};
      const { authorization_url: url } = await call("GET auth/oidc/authorize", { query });
      const answer = waitFor(popup);
      popup.location.replace(url);
      const result = await answer;
      if (result.type === "skywatch.login_failed") throw new ApiError(401, result.code, saidIn(result, "detail"));
      await session.take(result);
    }).finally(() => popup.close());
  }

  protected override render(): TemplateResult {
    const config = session.config.value;
    if (!config) return html``;
    const providers = this.providers.length ? this.providers : [{ name: "", display_name: config.oidc_provider_name }];
    return html`<div class="login"><section class="login-card" aria-labelledby="login-title">
      <h1 id="login-title">${t("login.title")}</h1>
      ${setupHint()}
      ${
        config.local_auth_enabled
          ? html`<form class="form" @submit=${this.submit}>
            <label><span>${t("login.username")}</span><input name="username" autocomplete="username" autocapitalize="none" required /></label>
            <label><span>${t("login.password")}</span><input name="password" type="password" autocomplete="current-password" required /></label>
            ${this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing}
            <button class="primary" ?disabled=${this.isBusy}>${t("login.submit")}</button>
          </form>`
          : this.error
            ? html`<p class="error" role="alert">${this.error}</p>`
            : nothing
      }
      ${config.oidc_enabled && config.local_auth_enabled ? html`<p class="or">${t("login.or")}</p>` : nothing}
      ${
        config.oidc_enabled
          ? providers.map(
              ({ name, display_name: shown }) =>
                html`<button class="sso" ?disabled=${this.isBusy} @click=${() => this.signOn(name || null)}>${t("login.with", { name: shown || name })}</button>`,
            )
          : nothing
      }
    </section></div>`;
  }
}

/** What the service's own page in the pop-up says; messages of other origins and windows count for nothing. */
function waitFor(popup: Window): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      removeEventListener("message", hear);
      clearInterval(look);
    };
    const hear = ({ origin, source, data }: MessageEvent<Answer>): void => {
      if (origin !== location.origin || source !== popup || !data?.type?.startsWith("skywatch.login")) return;
      stop();
      resolve(data);
    };
    const look = setInterval(() => {
      if (!popup.closed) return;
      // A message that was sent just before the window closed is still on its way.
      clearInterval(look);
      setTimeout(() => {
        stop();
        reject(new Error(t("login.popup_closed")));
      }, LOOK_MS);
    }, LOOK_MS);
    addEventListener("message", hear);
  });
}

customElements.define("sw-login", Login);
