"""Who may talk to the studio: asked by plain HTTP, as a page elsewhere or a program would."""

import hashlib
from urllib.parse import quote

import pytest

from assay.studio.app import _CHANGES, _SCREENS
from assay.studio.security import Keys
from tests.support.studios import TOKEN, keys_of, raw, started

SCREENS = [path.replace("{row:int}", "3") for path in _SCREENS if path not in ("/job/events", "/runs/compare")]
FORMS = {
    "/sources/preview": {"kind": "keywords", "what": "court", "on": "text", "label": "Lawyer"},
    "/sources/save": {"name": "x", "kind": "keywords", "what": "court", "on": "text", "label": "Lawyer"},
    "/sources/switch": {"name": "surgeons", "on": "0"},
    "/sources/remove": {"name": "surgeons"},
    "/label/press": {"key": "1", "version": "0"},
    "/label/name": {"by": "eve"},
    "/job/start": {"command": "run"},
    "/job/stop": {},
}


def on_disk(folder):
    """Every file of a project, by what is in it."""
    return {str(path): hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}


def test_every_change_is_tried_here():
    assert set(FORMS) == set(_CHANGES)


class TestTheLink:
    def test_it_gives_a_cookie_and_does_not_stay_in_the_address(self, studio):
        token = studio.link.partition("token=")[2]
        answer = raw(studio.host, "GET", f"/data?text=court&token={token}", None, {"host": studio.host})
        assert answer.status == 303
        assert answer.headers["location"] == "/data?text=court"
        name, _, rest = answer.headers["set-cookie"].partition("=")
        settings = [part.strip().lower() for part in rest.split(";")[1:]]
        assert name == f"assay_studio_{studio.host.rpartition(':')[2]}"
        assert "httponly" in settings
        assert "samesite=lax" in settings or "samesite=strict" in settings
        assert token not in answer.headers["set-cookie"]

    def test_what_it_gives_lets_in(self, studio):
        token = studio.link.partition("token=")[2]
        given = raw(studio.host, "GET", f"/?token={token}", None, {"host": studio.host}).headers["set-cookie"]
        assert studio.ask("/", headers={"cookie": given.partition(";")[0]}).status == 200

    @pytest.mark.parametrize("token", ["", "wrong", "%00", "%ff", quote("é")])
    def test_another_one_does_not(self, studio, token):
        for cookie in (None, keys_of(studio)[0]):
            answer = studio.ask(f"/?token={token}", headers={"cookie": cookie})
            assert answer.status == 403
            assert "set-cookie" not in answer.headers

    def test_each_studio_has_another(self):
        made = [Keys.new() for _ in range(50)]
        assert len({keys.token for keys in made}) == 50
        assert min(len(keys.token) for keys in made) >= 32

    def test_its_cookie_and_its_forms_do_not_tell_it(self):
        keys = Keys(TOKEN)
        assert len({keys.token, keys.cookie, keys.form_token}) == 3
        assert TOKEN not in keys.cookie + keys.form_token


@pytest.mark.parametrize("cookie", [None, "assay_studio=1", "assay_studio_1=x; other=y", "é=ü"])
@pytest.mark.parametrize("path", [*SCREENS, "/job/events", "/runs/compare", "/nothing/there"])
def test_no_page_opens_without_the_cookie(studio, path, cookie):
    answer = studio.ask(path, headers={"cookie": cookie and cookie.encode().decode("latin-1")})
    assert answer.status == 403
    assert "court" not in answer.text


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:{port}", "localhost.example:{port}", "", None],
)
def test_by_another_name_nothing_is_answered(studio, host):
    named = host and host.format(port=studio.host.rpartition(":")[2])
    for path in ("/", "/data", "/static/studio.js", f"/?token={studio.link.partition('token=')[2]}"):
        answer = studio.ask(path, headers={"host": named})
        assert answer.status in ((421,) if named is not None else (400, 421))
        assert "set-cookie" not in answer.headers


def test_its_other_names_on_this_machine_are_known(studio):
    assert studio.ask("/", headers={"host": f"localhost:{studio.host.rpartition(':')[2]}"}).status == 200


class TestChanges:
    @pytest.mark.parametrize("path", FORMS)
    @pytest.mark.parametrize(
        "headers",
        [
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": "http://127.0.0.1"},
            {"origin": "http://{host}.evil.example"},
            {"origin": None},
            {"origin": None, "sec-fetch-site": "cross-site"},
            {"origin": None, "sec-fetch-site": "same-site"},
            {"x-csrf-token": None},
            {"x-csrf-token": "0" * 64},
            {"cookie": None},
            {"host": "evil.example"},
        ],
        ids=str,
    )
    def test_from_elsewhere_are_refused_and_change_nothing(self, studio, path, headers):
        before = on_disk(studio.folder)
        said = {name: value and value.format(host=studio.host) for name, value in headers.items()}
        answer = studio.ask(path, FORMS[path], headers=said)
        assert answer.status == (421 if "host" in headers else 403)
        assert "set-cookie" not in answer.headers
        assert on_disk(studio.folder) == before

    def test_the_token_of_the_link_is_not_that_of_forms(self, studio):
        token = studio.link.partition("token=")[2]
        said = {"csrf": token, **FORMS["/sources/switch"]}
        assert studio.ask("/sources/switch", said, headers={"x-csrf-token": None}).status == 403

    @pytest.mark.parametrize("path", FORMS)
    def test_a_link_changes_nothing(self, studio, path):
        before = on_disk(studio.folder)
        assert studio.ask(f"{path}?name=surgeons&on=0&command=run", method="GET").status in (404, 405)
        assert on_disk(studio.folder) == before

    def test_the_studio_s_own_go_through(self, copy_of):
        with started(copy_of) as studio:
            before = on_disk(copy_of)
            assert studio.ask("/sources/switch", FORMS["/sources/switch"]).status == 303
            assert on_disk(copy_of) != before
            # Browsers that do not tell the origin tell where a form was.
            there = {"origin": None, "sec-fetch-site": "same-origin"}
            assert studio.ask("/sources/switch", {"name": "surgeons", "on": "1"}, headers=there).status == 303


class TestHeaders:
    @pytest.mark.parametrize("path", [*SCREENS, "/nothing/there", "/source?name=surgeons", "/static/studio.js"])
    def test_pages_may_bring_nothing_along(self, studio, path):
        answer = studio.ask(path)
        rules = dict(
            part.strip().split(" ", 1) if " " in part.strip() else (part.strip(), "")
            for part in answer.headers["content-security-policy"].split(";")
        )
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert rules["default-src"] == "'none'"
        if path == "/report/page":
            # Its script and its style stand in the page; so that it is shut in.
            assert rules["sandbox"] == "allow-scripts"
            assert rules["frame-ancestors"] == "'self'"
            return
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert rules["script-src"] == rules["style-src"] == rules["form-action"] == "'self'"
        assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"

    def test_refusals_have_them_too(self, studio):
        for headers in ({"cookie": None}, {"host": "evil.example"}):
            assert "default-src 'none'" in studio.ask("/", headers=headers).headers["content-security-policy"]

    @pytest.mark.parametrize("path", SCREENS)
    def test_no_page_is_kept_by_the_browser(self, studio, path):
        assert studio.ask(path).headers["cache-control"] == "no-store"

    def test_pages_have_no_script_and_no_style_of_their_own(self, studio):
        for path in SCREENS:
            if path != "/report/page":
                text = studio.ask(path).text
                assert "<style" not in text
                assert " style=" not in text
                assert " onclick=" not in text
                assert text.count("<script") == text.count('<script src="/static/') == 1


OUTSIDE = [
    "/static/../assay.toml",
    "/static/../security.py",
    "/static/%2e%2e/security.py",
    "/static/%2e%2e%2fsecurity.py",
    "/static/..%5csecurity.py",
    "/static//etc/passwd",
    "/static/%2fetc%2fpasswd",
    "/static/../../../../../../../../etc/passwd",
    "/static/%252e%252e/security.py",
    "/static/studio.js%00.css",
    "/../assay.toml",
    "/%2e%2e/assay.toml",
    "/report/../assay.toml",
    "/report/page/../../assay.toml",
    "/items/../assay.toml",
    "/items/-1",
    "/items/99999999999999999999999",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_to_a_file(studio, path):
    answer = studio.ask(path)
    assert 400 <= answer.status < 500
    for secret in ("root:", "[[tasks]]", "class Guard"):
        assert secret not in answer.text


NAMES = [
    "../assay.toml",
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "a/b",
    "%2e%2e/assay.toml",
    "C:\\x",
    "~/.ssh/id_rsa",
]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_leads_to_a_file(studio, name):
    before = on_disk(studio.folder)
    for path in ("/source?name=", "/sources/new?edit=", "/data?source=", "/runs/compare?from="):
        answer = studio.ask(f"{path}{quote(name, safe='')}")
        assert answer.status in (200, 400)
        assert "root:" not in answer.text
        assert "[[tasks]]" not in answer.text
    assert on_disk(studio.folder) == before


def test_lists_stay_in_their_folder(copy_of):
    before = {str(path) for path in copy_of.parent.rglob("*")}
    with started(copy_of) as studio:
        for name in [*NAMES, "lists", "a" * 300, "../" * 50 + "x"]:
            form = {"list": "1", "name": name, "choice": "Doctor", "only": "conflict"}
            assert studio.ask("/sources/save", form).status in (303, 400)
    made = {path for path in copy_of.parent.rglob("*") if str(path) not in before}
    assert {path.parent for path in made} <= {copy_of, copy_of / "lists", copy_of.parent}
    assert {path.name for path in made if path.parent != copy_of / "lists"} <= {"lists"}
    assert all(path.suffix == ".txt" for path in made if path.parent == copy_of / "lists")
