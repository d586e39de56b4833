// Geofences: drawn and edited on the map or as places in a text, with a band of altitude; taken from and saved as files.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../../../core/address";
import { dark, preferences } from "../../../core/preferences";
import { measure, TypedUnit } from "../../../ui/units";
import { t, type TextKey } from "../../../i18n/i18n";
import { live } from "../../../live/live";
import { call } from "../../../session/api";
import { announce, inform } from "../../../ui/announce";
import { icon } from "../../../ui/icons";
import { download } from "../../../session/download";
import { Task, all } from "../../../session/task";
import { go } from "../address";
import { FenceMap } from "./fence_map";
import { ShapeFault, assemble, circle, geometryOf, polygonsOf, readRings, writeRings, type Ring } from "./fence_shape";
import { may, type Fence } from "../types";

interface Draft {
  id: number | null;
  name: string;
  floor_ft: number | null;
  ceiling_ft: number | null;
  elevation_ft: number | null;
  rings: Ring[];
}

class Geofences extends Task {
  protected override readonly fields = ["name", "geometry", "floor_ft", "ceiling_ft", "elevation_ft"];
  private fences: Fence[] = [];
  private draft: Draft | null = null;
  private text = "";
  private textFault = "";
  private radius = 5;
  private stops: (() => void)[] = [];
  private readonly onMap = new FenceMap((rings) => this.setRings(rings));

  constructor() {
    super();
    this.watch(route, preferences, live.station);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.onMap.begin();
    this.stops = [route.subscribe(() => this.choose()), dark.subscribe(() => this.showAll())];
    void this.attemptRead(() => this.read());
  }

  protected override afterRead(): void {
    this.choose();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const stop of this.stops) stop();
    this.onMap.end();
  }

  private async read(): Promise<void> {
    this.fences = await all("GET alerts/geofences/", "geofences");
    this.showAll();
  }

  private showAll(): void {
    this.onMap.show(this.fences, this.draft?.id ?? null);
  }

  /** What the address asks to edit. */
  private choose(): void {
    if (!this.hasRead || !this.isConnected) return;
    const { id } = route.value.query;
    const chosen = this.fences.find((fence) => String(fence.id) === id);
    if (!id || (!chosen && id !== "new")) this.draft = null;
    else if (this.draft?.id !== (chosen?.id ?? null) || !this.draft) {
      this.draft = chosen
        ? { ...chosen, rings: polygonsOf(chosen.geometry).flat() }
        : { id: null, name: "", floor_ft: null, ceiling_ft: null, elevation_ft: null, rings: [] };
      this.onMap.fit(this.draft.rings);
    }
    this.onMap.stopDrawing();
    this.setRings(this.draft?.rings ?? []);
    this.showAll();
  }

  private setRings(rings: Ring[], text?: string): void {
    if (this.draft) this.draft.rings = rings;
    this.text = text ?? writeRings(assemble(rings));
    this.textFault = "";
    this.onMap.edit(this.draft && (this.draft.id === null ? may("create") : may("edit")) ? rings : []);
    this.requestUpdate();
  }

  private readonly takeText = (event: Event): void => {
    const text = (event.target as HTMLTextAreaElement).value;
    try {
      this.setRings(readRings(text), text);
    } catch (error) {
      if (!(error instanceof ShapeFault)) throw error;
      this.text = text;
      this.textFault = t("fence.bad_line", { n: Number(error.message) });
      this.requestUpdate();
    }
  };

  private draw(): void {
    if (this.onMap.isDrawing) this.onMap.stopDrawing();
    else {
      this.onMap.draw(() => announce(t("fence.drawn")));
      announce(t("fence.draw_hint"));
    }
    this.requestUpdate();
  }

  private addCircle(atStation: boolean): void {
    const station = live.station.value;
    const centre = atStation && station ? ([station.lon, station.lat] as [number, number]) : this.onMap.middle;
    const rings = [...this.draft!.rings, circle(centre, this.radius)];
    this.setRings(rings);
    this.onMap.fit(rings);
  }

  private readonly save = (event: SubmitEvent): void => {
    event.preventDefault();
    const draft = this.draft!;
    const polygons = assemble(draft.rings.filter((ring) => ring.length > 2));
    if (!polygons.length) {
      this.error = t("fence.no_shape");
      this.requestUpdate();
      return;
    }
    void this.attempt(async () => {
      const { name, floor_ft, ceiling_ft, elevation_ft } = draft;
      const body = { name, floor_ft, ceiling_ft, elevation_ft, geometry: geometryOf(polygons) };
      if (draft.id === null) await call("POST alerts/geofences/", { body });
      else await call("PATCH alerts/geofences/{id}/", { path: { id: draft.id }, body });
      inform(t("saved"));
      await this.read();
      go("geofences");
    });
  };

  private erase(fence: Fence): void {
    if (!confirm(t("rule.delete_sure", { name: fence.name }))) return;
    void this.attempt(async () => {
      await call("DELETE alerts/geofences/{id}/", { path: { id: fence.id } });
      await this.read();
    });
  }

  private readonly take = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const file = input.files?.[0];
    input.value = "";
    if (!file) return;
    void this.attempt(async () => {
      const raw = await file.text();
      const type = raw.trimStart().startsWith("{") ? "application/geo+json" : "text/plain";
      const { count } = await call("POST alerts/geofences/import/", { raw, type });
      inform(t("fence.imported", { n: count }));
      await this.read();
    });
  };

  protected override render(): TemplateResult {
    return this.draft ? this.editor(this.draft) : this.overview();
  }

  private overview(): TemplateResult {
    return html`<div class="bar">
        ${may("create") ? html`<button class="primary" @click=${() => go("geofences", { id: "new" })}>${icon("plus")} ${t("fence.new")}</button>` : nothing}
        ${this.fences.length ? html`<button @click=${() => void download("GET alerts/geofences/export/", {}, "skywatch-geofences.geojson")}>${t("rule.export")}</button>` : nothing}
        ${may("create") ? html`<label class="file"><span>${t("rule.import")}</span><input type="file" accept=".json,.geojson,.txt,application/geo+json" @change=${this.take} /></label>` : nothing}
      </div>
      <p class="hint">${t("fence.hint")}</p>
      ${this.fault()}
      ${this.fences.length ? html`<ul class="cards">${this.fences.map((fence) => this.card(fence))}</ul>` : this.emptyList(t("fence.none"))}`;
  }

  private card(fence: Fence): TemplateResult {
    return html`<li class="card"><p><b>${fence.name}</b> <small>${band(fence)}</small></p>
      <p class="actions">
        <button class="plain link" @click=${() => this.onMap.fit(polygonsOf(fence.geometry).flat())}>${t("map.show")}</button>
        ${may("edit") ? html`<button class="plain link" @click=${() => go("geofences", { id: String(fence.id) })}>${t("edit")}</button>` : nothing}
        ${may("delete") ? html`<button class="plain link" @click=${() => this.erase(fence)}>${t("delete")}</button>` : nothing}
      </p></li>`;
  }

  private altitude(
    name: "floor_ft" | "ceiling_ft" | "elevation_ft",
    title: TextKey,
    none: TextKey = "fence.no_limit",
  ): TemplateResult {
    const value = this.draft![name];
    const feet = new TypedUnit("ft");
    const take = (text: string): void => {
      this.draft![name] = text === "" ? null : (feet.stored(Number(text)) as number);
    };
    return html`<label><span>${t(title)}</span><span class="with-unit"><input type="number" name=${name} step="any" .value=${value === null ? "" : String(feet.shown(value))} placeholder=${t(none)} aria-invalid=${this.invalid(name)}
      @change=${(event: Event) => take((event.target as HTMLInputElement).value)} /><small>${feet.name}</small></span></label>`;
  }

  private editor(draft: Draft): TemplateResult {
    const { isDrawing } = this.onMap;
    const miles = new TypedUnit("nm");
    return html`<form class="form" @submit=${this.save}>
      <h2>${draft.id === null ? t("fence.new") : draft.name}</h2>
      <label><span>${t("name")}</span><input name="name" required maxlength="120" .value=${draft.name} autocomplete="off" aria-invalid=${this.invalid("name")} @input=${(event: Event) => (draft.name = (event.target as HTMLInputElement).value)} /></label>${this.faultBelow("name")}
      <div class="field"><span>${t("fence.shape")}</span>
        <div class="bar"><button type="button" class=${isDrawing ? "on" : ""} aria-pressed=${isDrawing} @click=${() => this.draw()}>${icon("edit")} ${t(isDrawing ? "fence.stop" : "fence.draw")}</button>
          ${draft.rings.length ? html`<button type="button" @click=${() => this.setRings([])}>${t("fence.clear")}</button>` : nothing}</div>
        <p class="hint" role="status">${t(isDrawing ? "fence.draw_hint" : "fence.modify_hint")}</p></div>
      <div class="bar circle"><label class="with-unit"><span class="visually-hidden">${t("radius")}</span><input type="number" min="0.1" max=${String(miles.shown(500))} step="any" .value=${String(miles.shown(this.radius))} @change=${(event: Event) => (this.radius = (miles.stored(Number((event.target as HTMLInputElement).value)) as number) || 5)} /><small>${miles.name}</small></label>
        <button type="button" @click=${() => this.addCircle(false)}>${t("fence.circle_middle")}</button>
        ${live.station.value ? html`<button type="button" @click=${() => this.addCircle(true)}>${t("fence.circle_station")}</button>` : nothing}</div>
      <details ?open=${draft.rings.length === 0}><summary>${t("fence.places")}</summary>
        <label><span>${t("fence.places_hint")}</span><textarea rows="8" class="mono" spellcheck="false" .value=${this.text} aria-invalid=${this.textFault ? "true" : nothing} @input=${this.takeText}></textarea></label>
        ${this.textFault ? html`<p class="field-fault" role="alert">${this.textFault}</p>` : nothing}</details>
      ${this.faultBelow("geometry")}
      <div class="pair">${this.altitude("floor_ft", "fence.floor")}${this.altitude("ceiling_ft", "fence.ceiling")}</div>${this.faultBelow("floor_ft")}${this.faultBelow("ceiling_ft")}
      ${this.altitude("elevation_ft", "fence.elevation", "fence.elevation_of_airport")}${this.faultBelow("elevation_ft")}
      ${this.fault()}
      <div class="actions"><button class="primary" ?disabled=${this.isBusy}>${t("save")}</button><button type="button" @click=${() => go("geofences")}>${t("cancel")}</button></div>
    </form>`;
  }
}

function band({ floor_ft, ceiling_ft }: Fence): string {
  if (floor_ft === null && ceiling_ft === null) return t("fence.all_altitudes");
  return `${floor_ft === null ? t("aircraft.ground_short") : measure("altitude", floor_ft)} – ${ceiling_ft === null ? t("fence.no_limit") : measure("altitude", ceiling_ft)}`;
}

customElements.define("sw-geofences", Geofences);
