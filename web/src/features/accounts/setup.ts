// The first administrator of a new installation: the link carries the one-time password, which leaves the address at once.
import { html, nothing, type TemplateResult } from "lit";
import { go, note, route } from "../../core/address";
import { View } from "../../ui/view";
import { t } from "../../i18n/i18n";
import { ApiError, call } from "../../session/api";
import { fieldFaults, faultText } from "../../session/fault";
import { session } from "../../session/session";
import { logIn } from "../../session/signing";
import { fieldFaultBelow } from "../../session/task";
import { setupHint } from "./setup_hint";

class Setup extends View {
  private token = "";
  private error = "";
  private faults: Record<string, string> = {};
  private isBusy = false;

  constructor() {
    super();
    this.watch(route, session.config);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.takeToken();
  }

  /** Keep the password here alone: neither the address nor the browser's history shows it any longer. */
  private takeToken(): void {
    const { token } = route.value.query;
    if (route.value.page !== "setup" || !token) return;
    this.token = token;
    this.error = "";
    note({ token: null });
  }

  private readonly submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void this.create(String(form.get("username")), String(form.get("password")));
  };

  private async create(username: string, password: string): Promise<void> {
    this.error = "";
    this.faults = {};
    this.isBusy = true;
    this.requestUpdate();
    try {
      await call("POST setup", { body: { token: this.token, username, password } });
      this.token = "";
      await logIn(username, password);
      await session.loadConfig();
      go("map");
    } catch (error) {
      this.error =
        error instanceof ApiError && error.code === "token_invalid"
          ? t("setup.void")
          : faultText(error, ["username", "password"]);
      this.faults = fieldFaults(error);
      if (error instanceof ApiError && error.code === "conflict") await session.loadConfig();
    } finally {
      this.isBusy = false;
      this.requestUpdate();
    }
  }

  protected override willUpdate(): void {
    // Another link may be opened while the page is there.
    this.takeToken();
  }

  private form(): TemplateResult {
    return html`<p class="hint">${t("setup.intro")}</p>
      <form class="form" @submit=${this.submit}>
        <label><span>${t("setup.username")}</span><input name="username" value="admin" autocomplete="username" autocapitalize="none" minlength="2" maxlength="64" required /></label>${fieldFaultBelow(this.faults, "username")}
        <label><span>${t("setup.password")}</span><input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="1024" required /></label>${fieldFaultBelow(this.faults, "password")}
        ${this.error ? html`<p class="error" role="alert">${this.error}</p>` : nothing}
        <button class="primary" ?disabled=${this.isBusy}>${t("setup.submit")}</button>
      </form>`;
  }

  private content(): TemplateResult {
    if (!session.config.value?.setup_required)
      return html`<p class="hint">${t("setup.done")} <a href="#/login">${t("login.submit")}</a></p>`;
    return this.token ? this.form() : html`${setupHint()}`;
  }

  protected override render(): TemplateResult {
    if (!session.config.value) return html``;
    return html`<div class="login"><section class="login-card" aria-labelledby="setup-title">
      <h1 id="setup-title">${t("setup.title")}</h1>
      ${this.content()}
    </section></div>`;
  }
}

customElements.define("sw-setup", Setup);
