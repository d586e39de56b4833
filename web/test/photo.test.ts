import assert from "node:assert/strict";
import { test } from "node:test";
import { SOURCES } from "../src/panel/photo_source";

const source = SOURCES.planespotters!;
const PHOTO = {
  thumbnail: { src: "https://t.plnspttrs.net/1/1_t.jpg", size: { width: 200, height: 133 } },
  thumbnail_large: { src: "https://t.plnspttrs.net/1/1_280.jpg", size: { width: 420, height: 280 } },
  link: "https://www.planespotters.net/photo/1/x?utm_source=api",
  photographer: " A. Spotter ",
};

test("a photo is asked for by its address", () => {
  assert.equal(source.ask("4b1800"), "https://api.planespotters.net/pub/photos/hex/4B1800");
});

test("the first photo is used as it was answered", () => {
  assert.deepEqual(source.photoOf({ photos: [PHOTO] }), {
    address: "https://t.plnspttrs.net/1/1_280.jpg",
    page: "https://www.planespotters.net/photo/1/x?utm_source=api",
    photographer: "A. Spotter",
    width: 420,
    height: 280,
  });
});

test("what has no credit, no link or another host is not shown", () => {
  const without = (change: object): unknown => source.photoOf({ photos: [{ ...PHOTO, ...change }] });
  assert.equal(without({ photographer: "" }), null);
  assert.equal(without({ link: "https://elsewhere.example/photo" }), null);
  assert.equal(without({ link: "javascript:alert(1)" }), null);
  assert.equal(without({ thumbnail_large: { src: "https://t.plnspttrs.net.example/1.jpg" } }), null);
  for (const answer of [null, undefined, 7, "x", [], {}, { photos: [] }, { photos: [null] }, { photos: {} }])
    assert.equal(source.photoOf(answer), null);
});
