"""The console while the database cannot be reached."""

import shutil


def test_a_page_says_that_the_service_is_not_available_and_nothing_more(root, tmp_path):
    root.get("/users")
    # The folder goes, and with it every file that a connection could be opened on.
    root.runtime.engine.dispose()
    for path in tmp_path.glob("skywatch.sqlite*"):
        path.unlink()
    (tmp_path / "skywatch.sqlite").mkdir()
    try:
        refused = [
            root.get("/users", status=503),
            root.post("/access", {"csrf_token": "x"}, status="*"),
            root.sign_in("admin", status=503),
        ]
    finally:
        shutil.rmtree(tmp_path / "skywatch.sqlite")
    assert refused[1].status_int in (403, 503)
    for page in refused:
        assert page.content_type == "text/html"
        assert "sqlite" not in page.text.lower()
    assert "Retry-After" in refused[0].headers
