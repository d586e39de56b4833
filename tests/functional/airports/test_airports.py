"""Airports over REST."""

V1 = "/api/v1/airports"


def test_airports_of_a_box_are_listed_by_size(client):
    answer = client.get(f"{V1}?bbox=8.0,47.2,9.0,47.7&limit=2").json
    assert answer["airports"][0]["ident"] == "LSZH"
    assert answer["count"] > 2
    assert "offset=2" in answer["next"]
    later = client.get(answer["next"].removeprefix("http://localhost")).json
    assert later["previous"]
    assert not {each["ident"] for each in later["airports"]} & {each["ident"] for each in answer["airports"]}


def test_airports_are_searched_by_code_and_by_name(client):
    for words in ("ZRH", "zurich", "Z%C3%BCrich"):
        assert client.get(f"{V1}?q={words}").json["airports"][0]["icao"] == "LSZH"
    none = client.get(f"{V1}?q=nothing+of+the+kind").json
    assert (none["airports"], none["count"], none["next"]) == ([], 0, None)


def test_an_airport_has_its_runways(client):
    airport = client.get(f"{V1}/lszh").json
    assert (airport["ident"], airport["iata"], airport["kind"]) == ("LSZH", "ZRH", "large")
    assert {runway["ident"] for runway in airport["runways"]} == {"10", "28", "14", "32", "16", "34"}
    assert client.get(f"{V1}/ZRH").json == airport


def test_an_unknown_airport_is_404(client):
    assert client.get(f"{V1}/XQXQ", status=404).json["code"] == "not_found"


def test_wrong_questions_are_refused(client):
    for query in ("bbox=1,2,3", "limit=0", "limit=1001", "nothing=1"):
        assert client.get(f"{V1}?{query}", status=400).json["code"] == "validation_failed"
