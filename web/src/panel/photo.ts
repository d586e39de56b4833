// A photo of the selected aircraft from the installation's source. The reader's own browser asks it, once the reader agreed
// to that: before, no request leaves. The source's terms want the photographer named next to the photo, a link to its page,
// the addresses as they were answered, and nothing of an answer used for longer than a day.
import { html, nothing, type TemplateResult } from "lit";
import { prefer, preferences } from "../core/preferences";
import { t } from "../i18n/i18n";
import { View } from "../ui/view";
import { photoSource, type Photo, type PhotoSource } from "./photo_source";

const WAIT_MS = 8000;
const KEEP_MS = 12 * 3600 * 1000;
const MAX_KEPT = 100;

interface Answer {
  at: number;
  photo: Photo | null;
}

type State = "asking" | "failed" | Answer;

const answers = new Map<string, Answer>();

class PhotoView extends View {
  static override properties = { hex: {}, asks: { attribute: false } };
  declare hex: string;
  /** Whether this is the question whether to show photos, and not the photo. */
  declare asks: boolean;
  private shown = "";
  private state: State = "asking";
  private readonly source = photoSource();

  constructor() {
    super();
    this.hex = "";
    this.asks = false;
    this.watch(preferences);
  }

  protected override willUpdate(): void {
    const hexToShow = this.source && !this.asks && preferences.value.photos ? this.hex : "";
    if (hexToShow === this.shown) return;
    this.shown = hexToShow;
    if (hexToShow) void this.fetch(this.source!, hexToShow);
  }

  private async fetch(source: PhotoSource, hex: string): Promise<void> {
    const cached = answers.get(hex);
    if (cached && Date.now() - cached.at < KEEP_MS) {
      this.state = cached;
      return;
    }
    this.state = "asking";
    let state: State = "failed";
    try {
      const answer = await fetch(source.ask(hex), {
        referrerPolicy: "no-referrer",
        credentials: "omit",
        signal: AbortSignal.timeout(WAIT_MS),
      });
      if (answer.ok) state = { at: Date.now(), photo: source.photoOf(await answer.json()) };
    } catch {
      // Away, blocked, slow or no JSON: the panel says so.
    }
    if (typeof state === "object") {
      if (answers.size >= MAX_KEPT) answers.delete(answers.keys().next().value!);
      answers.set(hex, state);
    }
    if (hex !== this.shown) return;
    this.state = state;
    this.requestUpdate();
  }

  private readonly fail = (): void => {
    answers.delete(this.hex);
    this.state = "failed";
    this.requestUpdate();
  };

  protected override render(): TemplateResult | typeof nothing {
    const { source } = this;
    if (!source || this.hex.startsWith("~")) return nothing;
    const { photos, photosDecided } = preferences.value;
    if (this.asks) return photos || photosDecided ? nothing : this.question(source);
    if (!photos) return nothing;
    if (this.state === "asking") return html`<p class="photo-note" role="status">${t("loading")}</p>`;
    if (this.state === "failed") return html`<p class="photo-note">${t("photo.failed", { source: source.name })}</p>`;
    const { photo } = this.state;
    if (!photo) return html`<p class="photo-note">${t("photo.none", { source: source.name })}</p>`;
    // The link stays without "nofollow", as the source wants it; what it is told of this page is decided by the referrer policy.
    return html`<figure class="photo">
      <a href=${photo.page} target="_blank" rel="noopener" referrerpolicy="no-referrer">
        <img src=${photo.address} width=${photo.width || nothing} height=${photo.height || nothing} referrerpolicy="no-referrer" alt=${t("photo.alt", { name: photo.photographer })} @error=${this.fail} />
      </a>
      <figcaption>© ${photo.photographer} · ${source.name}</figcaption>
    </figure>`;
  }

  private question(source: PhotoSource): TemplateResult {
    return html`<div class="photo-question" role="group" aria-label=${t("photo.title")}>
      <p>${t("photo.question", { source: source.name })}</p>
      <button @click=${() => prefer({ photos: true, photosDecided: true })}>${t("photo.agree")}</button>
      <button class="plain link" @click=${() => prefer({ photos: false, photosDecided: true })}>${t("photo.refuse")}</button>
    </div>`;
  }
}

customElements.define("sw-photo", PhotoView);
