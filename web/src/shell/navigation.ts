// The navigation: five words and "More", in the head of the page or, up to 1000 px, at its bottom. Pages that share a word
// stand beside each other at the head of each of them.
import { html, nothing, type TemplateResult } from "lit";
import { route } from "../core/address";
import { Cell } from "../core/cell";
import { t, type TextKey } from "../i18n/i18n";
import { mayAdminister } from "../session/handover";
import { session } from "../session/session";
import { Dismiss } from "../ui/dismiss";
import { drawing, icon } from "../ui/icons";
import { View } from "../ui/view";
import { counts } from "./bell";
import { menu, PAGES, pageAt, SECTIONS, type OpenPage, type Section } from "./feature";

const NARROW = matchMedia("(max-width: 1000px)");
/** Whether the navigation is at the bottom. */
export const isNarrow = new Cell<boolean>(NARROW.matches);
NARROW.addEventListener("change", () => isNarrow.set(NARROW.matches));

const ICONS: Record<Section, string> = {
  map: "M3 5.5l4.7-2 4.6 2 4.7-2v11l-4.7 2-4.6-2-4.7 2zM7.7 3.5v11M12.3 5.5v11",
  history: "M3.4 10a6.6 6.6 0 1 0 2-4.7M3 3.2v3.4h3.4M10 6v4.3l2.8 1.7",
  alerts:
    "M10 3a4.6 4.6 0 0 0-4.6 4.6c0 4-1.6 5-1.6 5.8h12.4c0-.8-1.6-1.8-1.6-5.8A4.6 4.6 0 0 0 10 3M8.2 16a1.9 1.9 0 0 0 3.6 0",
  radio: "M4 8v4M7 5.5v9M10 3.5v13M13 6.5v7M16 8.5v3",
  station: "M10 17V8M6.5 17h7M10 8a1.6 1.6 0 1 0 0-.01M6 10.5a5 5 0 0 1 0-7M14 10.5a5 5 0 0 0 0-7",
};
const capped = (n: number): string => (n > 99 ? "99+" : String(n));

/** The pages of a word that this person is offered. */
function pagesOf(section: Section): OpenPage[] {
  return menu().filter((page) => page.section === section);
}

/** The head of a page: its title or, where it shares its word with others, that word and the way to them; `more` stands beside it. */
export function pageHead(title: TextKey, more: TemplateResult | typeof nothing = nothing): TemplateResult {
  const section = PAGES.find((page) => page.title === title)?.section;
  const beside = section ? pagesOf(section) : [];
  if (beside.length < 2) return html`<header><h1>${t(title)}</h1>${more}</header>`;
  const word = t(`nav.${section!}`);
  return html`<header><h1>${word}</h1>${more}</header>
    <nav class="tabs" aria-label=${word}>${beside.map((page) => html`<a href="#/${page.name}" aria-current=${page.title === title ? "page" : nothing}>${t(page.title)}</a>`)}</nav>`;
}

class Navigation extends View {
  private isOpen = false;

  constructor() {
    super();
    this.watch(route, session.status, session.user, session.config, counts, isNarrow);
    new Dismiss(
      this,
      ".more",
      ".more > button",
      () => this.isOpen,
      () => this.toggle(false),
    );
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener("click", this.follow);
  }

  /** A link was followed, also to the page that is open. */
  private readonly follow = ({ target }: Event): void => {
    if ((target as Element).closest(".menu a")) this.toggle(false);
  };

  private toggle(isOpen = !this.isOpen): void {
    this.isOpen = isOpen;
    this.requestUpdate();
  }

  private badge({ name, badge }: OpenPage): TemplateResult | typeof nothing {
    const n = counts.value[name];
    if (!badge || !n) return nothing;
    return html`<b class="badge" title=${t(badge.title, { n })}>${capped(n)}</b>`;
  }

  protected override render(): TemplateResult {
    return html`<nav class="sections" aria-label=${t("nav.label")}>
      ${SECTIONS.map((section) => this.word(section))}${this.more(menu().filter((page) => !page.section))}
    </nav>`;
  }

  private word(section: Section): TemplateResult | typeof nothing {
    const pages = pagesOf(section);
    if (!pages.length) return nothing;
    const open = pages.find(({ name }) => name === route.value.page);
    return html`<a href="#/${pages[0].name}" class=${open ? "active" : ""} aria-current=${open ? (open === pages[0] ? "page" : "true") : nothing}>
      ${drawing(ICONS[section])}<span>${t(`nav.${section}`)}</span>${pages.map((page) => this.badge(page))}</a>`;
  }

  private more(pages: OpenPage[]): TemplateResult {
    const waiting = pages.reduce((sum, { name, badge }) => sum + (badge ? (counts.value[name] ?? 0) : 0), 0);
    const isHere = [...pages, pageAt("account"), pageAt("signIn")].some((page) => page?.name === route.value.page);
    return html`<div class="more">
      <button class="plain ${isHere ? "active" : ""}" aria-expanded=${this.isOpen} aria-controls="menu" @click=${() => this.toggle()}>${icon(this.isOpen ? "close" : "more")}<span>${t("nav.more")}</span>${waiting ? html`<b class="badge">${capped(waiting)}</b>` : nothing}</button>
      <div class="menu" id="menu" ?hidden=${!this.isOpen}>
        ${pages.map((page) => html`<a href="#/${page.name}" class=${page.name === route.value.page ? "active" : ""} aria-current=${page.name === route.value.page ? "page" : nothing}>${drawing(page.icon)}<span>${t(page.title)}</span>${this.badge(page)}</a>`)}
        ${this.administration()}${person("who")}
      </div>
    </div>`;
  }

  private administration(): TemplateResult | typeof nothing {
    const user = session.user.value;
    if (!user || !mayAdminister(user.permissions)) return nothing;
    return html`<a href="console">${icon("columns")}<span>${t("nav.administration")}</span></a>`;
  }
}

/** Who is signed in, or the way in; the menu has it where the head has no room. */
export function person(place: "person" | "who"): TemplateResult | typeof nothing {
  const config = session.config.value;
  const user = session.user.value;
  const page = pageAt(user ? "account" : "signIn");
  if (!page || (!user && !config?.local_auth_enabled && !config?.oidc_enabled)) return nothing;
  return html`<a class=${place} href="#/${page.name}" title=${user ? t(page.title) : nothing}>${drawing(page.icon)}<span>${user ? user.display_name || user.username : t(page.title)}</span></a>`;
}

customElements.define("sw-navigation", Navigation);
