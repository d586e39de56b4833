// Whose photos of aircraft the installation permits (`photo_source`): what is asked of it, and what of its answer is used.

export interface Photo {
  address: string;
  width: number;
  height: number;
  /** The page of the photo at its source. */
  page: string;
  photographer: string;
}

export interface PhotoSource {
  name: string;
  ask: (hex: string) => string;
  /** The first photo of an answer; null where there is none that can be shown with its credit and link. */
  photoOf: (answer: unknown) => Photo | null;
}

function textAt(value: unknown, name: string): string {
  const member = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof member === "string" ? member : "";
}

function objectAt(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function sizeAt(value: unknown, name: string): number {
  const member = objectAt(value, name);
  return typeof member === "number" && member > 0 && member <= 4000 ? Math.round(member) : 0;
}

function planespottersPhoto(answer: unknown): Photo | null {
  const photos = objectAt(answer, "photos");
  const first: unknown = Array.isArray(photos) ? photos[0] : undefined;
  const image = objectAt(first, "thumbnail_large") ?? objectAt(first, "thumbnail");
  const address = textAt(image, "src");
  const page = textAt(first, "link");
  const photographer = textAt(first, "photographer").trim();
  if (
    !address.startsWith("https://t.plnspttrs.net/") ||
    !page.startsWith("https://www.planespotters.net/") ||
    !photographer
  )
    return null;
  const size = objectAt(image, "size");
  return { address, page, photographer, width: sizeAt(size, "width"), height: sizeAt(size, "height") };
}

export const SOURCES: Partial<Record<string, PhotoSource>> = {
  planespotters: {
    name: "Planespotters.net",
    ask: (hex) => `https://api.planespotters.net/pub/photos/hex/${hex.toUpperCase()}`,
    photoOf: planespottersPhoto,
  },
};

/** The installation's source; null where it has none. */
export function photoSource(): PhotoSource | null {
  if (typeof document === "undefined") return null;
  const name = document.querySelector<HTMLMetaElement>('meta[name="skywatch-photo-source"]')?.content;
  return (name && SOURCES[name]) || null;
}
