"""Base maps: chosen with a click, drawn below the aircraft, and no host is asked before."""

from __future__ import annotations

from tests.accounts import PASSWORD
from tests.integration.web.archive import GREEN, MVT, RED, archive, is_drawn, picture, served, vector_tile

CHOICES = "return [...document.querySelectorAll('.base-maps label')].map((one) => one.textContent.trim())"
# Woods by day and by night, as web/src/map/ground/basemap_style.ts has them.
WOOD, WOOD_AT_NIGHT = (223, 230, 207), (22, 42, 44)
THEME = "localStorage.setItem('skywatch.preferences', JSON.stringify({theme: '%s'}))"
PRESS = "document.querySelectorAll('.base-maps input')[%d].click()"


def test_a_base_map_is_chosen_with_a_click_and_stays_chosen(page, service):
    with served(archive(picture(colour=GREEN))) as green, served(archive(picture(colour=RED))) as red:
        running = service(auth_mode="public", base_map__night_chart=f"{red} © Red", map_pmtiles=green)
        running.start()
        page.size(1280, 800)
        page.open_map(running, "/#/map?at=10,8.56,1.7")
        page.wait_for(f"return {is_drawn(GREEN)}", "the first base map")
        assert not any(red in name for name, _ in page.fetched()), "a host is asked that nobody chose"
        page.click(".map-buttons [aria-expanded]")
        page.wait_for_element(".base-maps")
        assert page.run(CHOICES) == ["Map tiles", "Night chart", "None (land and borders)"]
        page.run(PRESS % 1)
        page.wait_for(f"return {is_drawn(RED)}", "the second base map")
        page.wait_for("return document.querySelector('.map-source')?.textContent === '© Red'", "its source")
        page.open_map(running, "/#/map?at=10,8.56,1.7")
        page.wait_for(f"return {is_drawn(RED)}", "the second base map, after a reload")
        page.click(".map-buttons [aria-expanded]")
        page.wait_for_element(".base-maps")
        assert page.run("return document.querySelector('.base-maps :checked').parentElement.innerText.trim()") == (
            "Night chart"
        )
        page.run(PRESS % 2)
        page.wait_for("return document.querySelector('.map-source') === null", "no base map")
        page.wait_for(f"return !{is_drawn(RED)}", "land and borders alone")


def test_a_base_map_that_the_console_adds_is_offered_and_drawn_without_a_restart(page, service):
    with served(archive(picture(colour=RED))) as red:
        running = service(auth_mode="public")
        running.add_user("ada", "superadmin", PASSWORD)
        running.start()
        page.size(1280, 800)
        page.visit(running, "/console/sign-in?next=/console/maps")
        page.type("input[name=username]", "ada")
        page.type("input[name=password]", PASSWORD)
        page.click("main button")
        page.click("[aria-labelledby=more-base-maps] a.button")
        page.type("#field-name", "Night chart")
        page.type("#field-address", red)
        page.click("button[value=save]")
        page.wait_for_element("[id='field-base_map.night_chart']")
        page.open_map(running, "/#/map?at=10,8.56,1.7")
        page.wait_for(f"return {is_drawn(RED)}", "the base map")
        page.click(".map-buttons [aria-expanded]")
        page.wait_for_element(".base-maps")
        assert page.run(CHOICES) == ["Night chart", "None (land and borders)"]


def test_vector_tiles_are_drawn_by_day_and_by_night(page, service):
    woods = vector_tile({"earth": {"kind": "earth"}, "landuse": {"kind": "forest"}, "mystery": {"kind": "unknown"}})
    with served(archive(woods, MVT)) as address:
        running = service(auth_mode="public", map_pmtiles=address)
        running.start()
        page.size(1280, 800)
        for theme, colour, other in (("light", WOOD, WOOD_AT_NIGHT), ("dark", WOOD_AT_NIGHT, WOOD)):
            page.open(f"{running.url}/icon.svg")
            page.run(THEME % theme)
            page.open_map(running, "/#/map?at=10,8.56,3")
            page.wait_for(f"return {is_drawn(colour, 3)}", f"woods in the {theme} map")
            assert not page.run(f"return {is_drawn(other, 3)}")
            page.wait_for("return document.querySelector('.map-source')?.innerText.includes('nobody')", "the source")
        assert any("/vector_archive-" in name for name, _ in page.fetched())


def test_the_script_for_vector_tiles_is_not_fetched_without_them(page, sky):
    page.open_map(sky)
    assert not any("archive-" in name for name, _ in page.fetched())
