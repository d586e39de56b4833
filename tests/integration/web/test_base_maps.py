"""Base maps: chosen with a click, drawn below the aircraft, and no host is asked before."""

from __future__ import annotations

from tests.integration.web.archive import GREEN, RED, archive, is_drawn, picture, served

CHOICES = "return [...document.querySelectorAll('.base-maps label')].map((one) => one.textContent.trim())"
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
        page.run("location.hash = '#/settings'")
        page.wait_for(
            "return document.querySelector('#base-map')?.value === 'night_chart'", "the choice in the settings"
        )
        page.run("location.hash = '#/map'")
        page.click(".map-buttons [aria-expanded]")
        page.wait_for_element(".base-maps")
        page.run(PRESS % 2)
        page.wait_for("return document.querySelector('.map-source') === null", "no base map")
        page.wait_for(f"return !{is_drawn(RED)}", "land and borders alone")
