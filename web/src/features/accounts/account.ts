// One's own account: profile, password, API keys, and the way out.
import { html, nothing, type TemplateResult } from "lit";
import { go } from "../../core/address";
import { clock } from "../../ui/units";
import { View } from "../../ui/view";
import { t, word } from "../../i18n/i18n";
import { call } from "../../session/api";
import { faultOf, fieldFaults, faultText } from "../../session/fault";
import { mayAdminister } from "../../session/handover";
import type { Body, Schemas } from "../../session/operations";
import { session, type User } from "../../session/session";
import { logOut } from "../../session/signing";
import { fieldFaultBelow } from "../../session/task";
import { FEATURES } from "../../shell/feature";
import { inform } from "../../ui/announce";
import { copyLine } from "../../ui/copy";

type Key = Schemas["KeyEntry"];

const FIELDS = ["display_name", "email", "current_password", "new_password", "name", "scopes", "expires_at"];

class Account extends View {
  private keys: Key[] = [];
  private fresh: Schemas["NewKey"] | null = null;
  private errors: Record<string, string> = {};
  private faults: Record<string, string> = {};

  constructor() {
    super();
    this.watch(session.user, session.config);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (session.config.value?.api_key_enabled) void this.attempt("keys", () => this.readKeys());
  }

  private async readKeys(): Promise<void> {
    this.keys = (await call("GET api-keys")).api_keys;
  }

  private async attempt(where: string, work: () => Promise<void>): Promise<void> {
    delete this.errors[where];
    this.faults = {};
    try {
      await work();
    } catch (error) {
      this.errors[where] = faultText(error, FIELDS);
      this.faults = fieldFaults(error);
    }
    this.requestUpdate();
  }

  private error(where: string): TemplateResult | typeof nothing {
    return this.errors[where] ? html`<p class="error" role="alert">${this.errors[where]}</p>` : nothing;
  }

  private faultBelow(field: string): TemplateResult | typeof nothing {
    return fieldFaultBelow(this.faults, field);
  }

  private invalid(field: string): "true" | typeof nothing {
    return faultOf(this.faults, field) ? "true" : nothing;
  }

  private readonly saveProfile = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void this.attempt("profile", async () => {
      const body = { display_name: String(form.get("display_name")), email: String(form.get("email")) };
      session.user.set({ ...session.user.value!, ...(await call("PATCH auth/profile", { body })) });
      inform(t("saved"));
    });
  };

  private readonly savePassword = (event: SubmitEvent): void => {
    event.preventDefault();
    const element = event.target as HTMLFormElement;
    const form = new FormData(element);
    void this.attempt("password", async () => {
      const body = { current_password: String(form.get("current")), new_password: String(form.get("new")) };
      await session.take(await call("POST auth/password", { body }));
      element.reset();
      inform(t("account.password_changed"));
    });
  };

  private readonly createKey = (event: SubmitEvent): void => {
    event.preventDefault();
    const element = event.target as HTMLFormElement;
    const form = new FormData(element);
    const until = String(form.get("expires_at") ?? "");
    void this.attempt("keys", async () => {
      const body = {
        name: String(form.get("name")),
        scopes: form.getAll("scopes") as Body<"POST api-keys">["scopes"],
        ...(until ? { expires_at: new Date(`${until}T00:00:00Z`).toISOString() } : {}),
      };
      this.fresh = await call("POST api-keys", { body });
      element.reset();
      await this.readKeys();
    });
  };

  private revoke(key: Key): void {
    if (!confirm(t("account.revoke_sure", { name: key.name }))) return;
    void this.attempt("keys", async () => {
      await call("DELETE api-keys/{id}", { path: { id: key.id } });
      if (this.fresh?.id === key.id) this.fresh = null;
      await this.readKeys();
    });
  }

  private readonly leave = async (): Promise<void> => {
    await logOut().catch(() => undefined);
    go("map");
  };

  protected override render(): TemplateResult {
    const user = session.user.value;
    if (!user) return html``;
    const isLocal = (user as User & { auth_provider?: string }).auth_provider !== "oidc";
    return html`<div class="sheet">
      <header><h1>${user.display_name || user.username}</h1><p>${user.username} · ${user.roles.map((role) => word("role", role)).join(", ") || t("account.no_role")}</p></header>
      <div class="bar">${mayAdminister(user.permissions) ? html`<a class="button" href="console">${t("nav.administration")}</a>` : nothing}
        <button @click=${this.leave}>${t("account.log_out")}</button></div>
      <section class="section"><h2>${t("account.profile")}</h2>
        <form class="form" @submit=${this.saveProfile}>
          <label><span>${t("account.display_name")}</span><input name="display_name" .value=${user.display_name ?? ""} autocomplete="name" aria-invalid=${this.invalid("display_name")} /></label>${this.faultBelow("display_name")}
          <label><span>${t("account.email")}</span><input name="email" type="email" .value=${user.email ?? ""} autocomplete="email" aria-invalid=${this.invalid("email")} /></label>${this.faultBelow("email")}
          ${this.error("profile")}<div class="actions"><button class="primary">${t("save")}</button></div>
        </form></section>
      ${
        isLocal && session.config.value?.local_auth_enabled
          ? html`<section class="section"><h2>${t("account.password")}</h2>
            <form class="form" @submit=${this.savePassword}>
              <input type="text" name="username" autocomplete="username" .value=${user.username} hidden />
              <label><span>${t("account.current_password")}</span><input name="current" type="password" autocomplete="current-password" required aria-invalid=${this.invalid("current_password")} /></label>${this.faultBelow("current_password")}
              <label><span>${t("account.new_password")}</span><input name="new" type="password" autocomplete="new-password" minlength="8" required aria-invalid=${this.invalid("new_password")} /></label>${this.faultBelow("new_password")}
              ${this.error("password")}<div class="actions"><button class="primary">${t("account.change_password")}</button></div>
              <p class="hint">${t("account.password_hint")}</p>
            </form></section>`
          : nothing
      }
      ${session.config.value?.api_key_enabled ? this.keySection() : nothing}
    </div>`;
  }

  private keySection(): TemplateResult {
    return html`<section class="section"><h2>${t("account.keys")}</h2>
      <p class="hint">${t("account.keys_hint")}</p>
      ${this.fresh?.key ? html`<div role="status"><p>${t("account.key_once")}</p>${copyLine(this.fresh.key, { name: t("account.key") })}${copyLine(`curl -H "X-API-Key: ${this.fresh.key}" ${new URL("api/v1/aircraft", document.baseURI).href}`, { title: "curl", hint: t("account.key_example") })}</div>` : nothing}
      ${
        this.keys.length
          ? html`<div class="scroll" tabindex="0"><table class="data narrow-cards"><thead><tr><th>${t("name")}</th><th>${t("account.key_prefix")}</th><th>${t("account.scopes")}</th><th>${t("account.expires")}</th><th>${t("account.last_used")}</th><th></th></tr></thead>
            <tbody>${this.keys.map(
              (
                key,
              ) => html`<tr><td>${key.name}</td><td class="mono" data-title=${t("account.key_prefix")}>${key.key_prefix}…</td><td data-title=${t("account.scopes")}>${key.scopes.map((scope) => word("feature", scope)).join(", ")}</td>
                <td data-title=${t("account.expires")}>${key.expires_at ? clock(key.expires_at, true) : "–"}</td><td data-title=${t("account.last_used")}>${key.last_used_at ? clock(key.last_used_at, true) : "–"}</td>
                <td class="row-actions"><button class="danger" @click=${() => this.revoke(key)}>${t("account.revoke")}</button></td></tr>`,
            )}</tbody></table></div>`
          : nothing
      }
      <form class="form" @submit=${this.createKey}>
        <label><span>${t("name")}</span><input name="name" required maxlength="100" aria-invalid=${this.invalid("name")} /></label>${this.faultBelow("name")}
        <fieldset><legend>${t("account.scopes")}</legend><div class="checks">${FEATURES.filter(
          ({ hasScope }) => hasScope,
        ).map(
          ({ name: scope }, at) =>
            html`<label class="check"><input type="checkbox" name="scopes" value=${scope} ?checked=${at === 0} /> ${word("feature", scope)}</label>`,
        )}</div>${this.faultBelow("scopes")}</fieldset>
        <label><span>${t("account.expires")}</span><input name="expires_at" type="date" aria-invalid=${this.invalid("expires_at")} /></label>${this.faultBelow("expires_at")}
        ${this.error("keys")}<div class="actions"><button class="primary">${t("account.create_key")}</button></div>
      </form></section>`;
  }
}

customElements.define("sw-account", Account);
