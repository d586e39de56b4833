// The form of a feeder: its name, where it stands and what others may know of that.
import { html, nothing, type TemplateResult } from "lit";
import { t, word } from "../../i18n/i18n";
import type { Body } from "../../session/operations";
import { isManager, type Feeder } from "./types";

export const FIELDS = ["name", "uuid", "lat", "lon", "altitude_ft", "place_privacy", "trusted", "owner"];
const PRIVACY = ["10km", "exact", "none"];
/** Where no owner is chosen, the feeder is everybody's who manages feeders. */
const MANAGED = "managed";

interface Faults {
  faultBelow: (field: string) => TemplateResult | typeof nothing;
  invalid: (field: string) => "true" | typeof nothing;
}

/** The fields of a feeder to register (no `feeder`) or to change. */
export function fields(feeder: Feeder | null, { faultBelow, invalid }: Faults): TemplateResult {
  const degrees = (name: "lat" | "lon", most: number): TemplateResult =>
    html`<label><span>${t(`feeders.${name}`)}</span><input name=${name} type="number" step="any" min=${-most} max=${most} .value=${String(feeder?.[name] ?? "")} aria-invalid=${invalid(name)} />${faultBelow(name)}</label>`;
  return html`<label><span>${t("name")}</span><input name="name" required maxlength="64" .value=${feeder?.name ?? ""} aria-invalid=${invalid("name")} />${faultBelow("name")}</label>
    ${feeder ? nothing : html`<label><span>${t("feeders.own_uuid")}</span><input name="uuid" class="mono" maxlength="36" spellcheck="false" autocomplete="off" aria-invalid=${invalid("uuid")} />${faultBelow("uuid")}<small class="hint">${t("feeders.own_uuid_hint")}</small></label>`}
    <fieldset><legend>${t("feeders.place")}</legend>
      <div class="feeder-place">${degrees("lat", 90)}${degrees("lon", 180)}
        <label><span>${t("feeders.altitude")}</span><input name="altitude_ft" type="number" step="1" min="-2000" max="60000" .value=${String(feeder?.altitude_ft ?? "")} aria-invalid=${invalid("altitude_ft")} />${faultBelow("altitude_ft")}</label></div>
      <label><span>${t("feeders.privacy")}</span><select name="place_privacy">${PRIVACY.map((one) => html`<option value=${one} ?selected=${one === (feeder?.place_privacy ?? PRIVACY[0])}>${word("feeder_privacy", one)}</option>`)}</select></label>
      <label class="check"><input type="checkbox" name="mlat" ?checked=${feeder?.mlat ?? false} /> ${t("feeders.mlat")}</label>
      <p class="hint">${t("feeders.place_hint")}</p></fieldset>
    ${isManager() ? managerFields(feeder) : nothing}`;
}

function managerFields(feeder: Feeder | null): TemplateResult {
  const isManaged = feeder !== null && feeder.owner === null;
  return html`<label class="check"><input type="checkbox" name="trusted" ?checked=${feeder?.trusted ?? true} /> ${t("feeders.trusted")}</label>
    <label class="check"><input type="checkbox" name=${MANAGED} ?checked=${isManaged} /> ${t("feeders.managed")}</label>`;
}

/** What a form says of the settings that a feeder can have, for a new one and for a change alike. */
export function settingsOf(form: FormData, feeder: Feeder | null, userId: number): Body<"PATCH feeders/{id}/"> {
  const figure = (name: string): number | null => {
    const text = String(form.get(name) ?? "").trim();
    return text === "" ? null : Number(text);
  };
  return {
    name: String(form.get("name")).trim(),
    lat: figure("lat"),
    lon: figure("lon"),
    altitude_ft: figure("altitude_ft"),
    place_privacy: String(form.get("place_privacy")) as Body<"PATCH feeders/{id}/">["place_privacy"],
    mlat: form.has("mlat"),
    ...(isManager()
      ? { trusted: form.has("trusted"), owner: form.has(MANAGED) ? null : (feeder?.owner?.id ?? userId) }
      : {}),
  };
}
