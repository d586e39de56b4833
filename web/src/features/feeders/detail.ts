// One feeder: how it is, what is done with it, and what other features show of it (its charts).
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { html as staticHtml, unsafeStatic } from "lit/static-html.js";
import { go } from "../../core/address";
import { number, t, word } from "../../i18n/i18n";
import { call } from "../../session/api";
import { session } from "../../session/session";
import { FEATURES, sourceOf, type ReceiverPart } from "../../shell/feature";
import { inform } from "../../ui/announce";
import { clock } from "../../ui/units";
import { settingsOf } from "./form";
import { FeederTask } from "./task";
import { clockName, mayChange, stateTag, type Feeder } from "./types";

class FeederPage extends FeederTask {
  static override properties: PropertyDeclarations = { feederId: { attribute: false } };
  declare feederId: number;
  private feeder: Feeder | null = null;
  private readonly parts = FEATURES.flatMap(({ receiverParts = [] }) => receiverParts);

  override connectedCallback(): void {
    super.connectedCallback();
    for (const { load } of this.parts) void load();
  }

  private get path(): { id: number } {
    return { id: this.feederId };
  }

  protected override async read(): Promise<void> {
    this.feeder = await call("GET feeders/{id}/", { path: this.path });
  }

  private readonly save = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void this.attempt(async () => {
      const body = settingsOf(form, this.feeder, session.user.value!.id);
      this.feeder = await call("PATCH feeders/{id}/", { path: this.path, body });
      this.isEdited = false;
      inform(t("saved"));
    });
  };

  private readonly toggle = (): void => {
    void this.attempt(async () => {
      this.feeder = await call("PATCH feeders/{id}/", { path: this.path, body: { enabled: !this.feeder!.enabled } });
    });
  };

  private readonly rotate = (): void => {
    if (!confirm(t("feeders.rotate_sure", { name: this.feeder!.name }))) return;
    void this.attempt(async () => {
      this.fresh = await call("POST feeders/{id}/rotate/", { path: this.path });
      await this.read();
    });
  };

  private readonly unregister = (): void => {
    if (!confirm(t("feeders.delete_sure", { name: this.feeder!.name }))) return;
    void this.attempt(async () => {
      await call("DELETE feeders/{id}/", { path: this.path });
      go("feeders");
    });
  };

  protected override render(): TemplateResult {
    const { feeder } = this;
    return html`<div class="sheet"><p><a href="#/feeders">${t("feeders.all")}</a></p>
      ${feeder ? this.content(feeder) : this.error ? this.fault() : html`<p class="empty" role="status">${t("loading")}</p>`}
    </div>`;
  }

  private content(feeder: Feeder): TemplateResult {
    return html`<header><h1>${feeder.name}</h1><p>${stateTag(feeder)}</p></header>
      ${feeder.notice ? html`<p class="error" role="alert">${t("feeders.copied", { at: clock(feeder.notice.at, true) })}</p>` : nothing}
      ${this.credentials()}
      ${this.isEdited ? this.form(feeder, this.save, "save") : html`${this.fault()}${mayChange(feeder) ? this.actions(feeder) : nothing}${this.facts(feeder)}`}
      ${this.parts.filter(({ isOpen }) => isOpen?.(sourceOf(feeder)) ?? true).map((part) => shown(part, feeder))}`;
  }

  private actions({ enabled }: Feeder): TemplateResult {
    return html`<div class="bar"><button @click=${() => this.edit(true)}>${t("edit")}</button>
      <button @click=${this.toggle} ?disabled=${this.isBusy}>${t(enabled ? "feeders.disable" : "feeders.enable")}</button>
      <button @click=${this.rotate} ?disabled=${this.isBusy}>${t("feeders.rotate")}</button>
      <button class="danger" @click=${this.unregister} ?disabled=${this.isBusy}>${t("feeders.delete")}</button></div>`;
  }

  private facts(feeder: Feeder): TemplateResult {
    const fact = (title: string, value: unknown): TemplateResult =>
      html`<div><dt>${title}</dt><dd>${value ?? "–"}</dd></div>`;
    const time = (at: string | null): string => (at ? clock(at, true) : "–");
    return html`<section class="section"><h2>${t("feeders.now")}</h2><dl class="feeder-facts">
        ${fact(t("feeders.rate"), `${number(feeder.messages_s, 1)}/s`)}${fact(t("feeders.positions"), `${number(feeder.positions_s, 1)}/s`)}
        ${fact(t("feeders.aircraft"), number(feeder.aircraft))}${fact(t("feeders.traffic"), `${number(feeder.bytes_s / 1000, 1)} kB/s`)}
        ${fact(t("feeders.duplicates"), `${number(feeder.duplicates_share * 100, 1)} %`)}
        ${fact(t("feeders.disputes"), `${number(feeder.disputes_share * 100, 1)} %`)}${fact(t("feeders.clock"), clockName(feeder))}
        ${fact(t("feeders.since"), time(feeder.connected_since))}${fact(t("feeders.seen"), time(feeder.last_seen_at))}
        ${feeder.address ? fact(t("feeders.address"), html`<span class="mono">${feeder.address}</span>`) : nothing}
      </dl></section>
      <section class="section"><h2>${t("feeders.record")}</h2><dl class="feeder-facts">
        ${fact(t("feeders.owner"), feeder.owner?.username ?? t("feeders.managers"))}${fact("UUID", html`<span class="mono">${feeder.uuid_start}…</span>`)}
        ${fact(t("feeders.place"), placeText(feeder))}${fact(t("feeders.privacy"), word("feeder_privacy", feeder.place_privacy))}
        ${fact(t("feeders.mlat_short"), word("yes", String(feeder.mlat)))}${fact(t("feeders.trusted_short"), word("yes", String(feeder.trusted)))}
      </dl></section>`;
  }
}

/** What another feature shows of it. */
function shown({ element }: ReceiverPart, feeder: Feeder): TemplateResult {
  const name = unsafeStatic(element);
  return staticHtml`<${name} .source=${sourceOf(feeder)}></${name}>`;
}

/** Where it stands, as exactly as this person may know it. */
function placeText({ lat, lon, altitude_ft }: Feeder): string {
  if (lat === null || lon === null) return "–";
  const height = altitude_ft === null ? "" : `, ${number(altitude_ft)}\u00a0ft`;
  return `${lat}°, ${lon}°${height}`;
}

customElements.define("sw-feeder", FeederPage);
