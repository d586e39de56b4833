// What the reader may choose: language, colours, units, and what the map shows.
import { html, nothing, type TemplateResult } from "lit";
import { prefer, preferences, type Switch, type Theme, type UnitSystem } from "../../core/preferences";
import { View } from "../../ui/view";
import { LANGUAGES, language, t, useLanguage, type Language, type TextKey } from "../../i18n/i18n";
import { simulated } from "../../live/simulated";
import { session } from "../../session/session";
import { photoSource } from "../../panel/photo_source";
import { FEATURES } from "../feature";
import { SHORTCUTS } from "./shortcuts";

const FINER = document.querySelector<HTMLMetaElement>('meta[name="skywatch-ground"]')?.content ?? "{}";
/** Whose data the ground is made of that comes with this installation. */
const SOURCES = ["Natural Earth", "GeoNames", "OurAirports", ...(FINER === "{}" ? [] : ["GSHHG"])].join(" · ");

class Settings extends View {
  constructor() {
    super();
    this.watch(preferences, session.config, simulated);
  }

  private choice<T extends string>(
    title: TextKey,
    options: [T, string][],
    chosen: T,
    choose: (value: T) => void,
  ): TemplateResult {
    return html`<div class="setting" role="group" aria-label=${t(title)}><span>${t(title)}</span>
      <div class="segments">${options.map(([value, name]) => html`<button aria-pressed=${value === chosen} @click=${() => choose(value)}>${name}</button>`)}</div>
    </div>`;
  }

  private toggle(title: TextKey, name: Switch): TemplateResult {
    return html`<div class="setting"><label class="check"><input type="checkbox" .checked=${preferences.value[name]} @change=${() => prefer({ [name]: !preferences.value[name] })} /> ${t(title)}</label></div>`;
  }

  private photos(): TemplateResult | typeof nothing {
    const source = photoSource();
    if (!source) return nothing;
    const { photos } = preferences.value;
    return html`<div class="setting"><label class="check"><input id="photos" type="checkbox" .checked=${photos} @change=${() => prefer({ photos: !photos, photosDecided: true })} /> ${t("photo.setting", { source: source.name })}</label></div>`;
  }

  private notices(): TemplateResult {
    return html`${this.toggle("settings.sound", "sound")}
      ${simulated.value ? html`${this.toggle("settings.simulated_notices", "simulatedNotices")}<p class="hint">${t("settings.simulated_hint")}</p>` : nothing}`;
  }

  private readonly chooseLanguage = (event: Event): void => {
    const chosen = (event.target as HTMLSelectElement).value as Language;
    prefer({ language: chosen });
    void useLanguage(chosen);
  };

  protected override render(): TemplateResult {
    const { theme, units } = preferences.value;
    return html`<div class="sheet"><header><h1>${t("nav.settings")}</h1></header>
      <div class="setting"><label class="field" for="language">${t("settings.language")}</label>
        <select id="language" class="short" @change=${this.chooseLanguage}>${Object.entries(LANGUAGES).map(([code, name]) => html`<option value=${code} lang=${code} ?selected=${code === language.value}>${name}</option>`)}</select></div>
      ${this.choice<Theme>(
        "settings.theme",
        [
          ["auto", t("settings.theme_auto")],
          ["light", t("settings.theme_light")],
          ["dark", t("settings.theme_dark")],
        ],
        theme,
        (value) => prefer({ theme: value }),
      )}
      ${this.choice<UnitSystem>(
        "settings.units",
        [
          ["aviation", "ft · kt · nm"],
          ["metric", "m · km/h · km"],
          ["imperial", "ft · mph · mi"],
        ],
        units,
        (value) => prefer({ units: value }),
      )}
      <section class="section"><h2>${t("settings.device")}</h2>
        ${this.photos()}
        ${FEATURES.some(({ name, notice }) => notice && session.canView(name)) ? this.notices() : nothing}
        <p class="hint">${window.isSecureContext ? t("settings.secure") : t("settings.insecure")}</p>
      </section>
      <section class="section"><h2>${t("settings.keyboard")}</h2>
        ${this.toggle("settings.shortcuts", "shortcuts")}
        <dl class="facts">${SHORTCUTS.map(({ key, title }) => html`<div><dt>${t(title)}</dt><dd><kbd>${key}</kbd></dd></div>`)}</dl>
      </section>
      <p class="hint about">Skywatch ${session.config.value?.version ?? ""} · <a href="api/v1/docs">${t("settings.api")}</a> · <a href="console">${t("settings.console")}</a> · ${SOURCES}</p>
    </div>`;
  }
}

customElements.define("sw-settings", Settings);
