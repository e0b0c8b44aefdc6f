"""Where a model is asked, and that its key is nowhere else."""

import pytest

from assay.errors import SourceError
from assay.llm import Endpoint


def test_the_key_is_looked_up_by_name_and_shown_nowhere(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "sk-very-secret")
    endpoint = Endpoint(base_url="http://localhost/v1", model="m", key="SOME_KEY")
    assert endpoint.headers() == {"Authorization": "Bearer sk-very-secret"}
    assert "secret" not in repr(endpoint)
    monkeypatch.delenv("SOME_KEY")
    with pytest.raises(SourceError, match="environment variable SOME_KEY, which is not set"):
        endpoint.headers()


@pytest.mark.parametrize("key", ["sk-very-secret", "secret key", "", 7, "verysecretverysecret0123456789abcdef"])
def test_a_key_in_place_of_its_name_is_refused_and_not_quoted(key):
    with pytest.raises(SourceError, match="name of an environment variable") as caught:
        Endpoint(base_url="http://localhost/v1", model="m", key=key)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["localhost:80/v1", "ftp://x/v1", "http://", 3, "http://x/v1?a=b", "http://[x/v1", None]
)
def test_what_is_no_url_is_refused(url):
    with pytest.raises(SourceError, match="base_url must be the URL"):
        Endpoint(base_url=url, model="m")


def test_a_password_in_a_url_is_refused_and_not_quoted():
    with pytest.raises(SourceError, match="without a user or password") as caught:
        Endpoint(base_url="http://me:secret@host/v1", model="m")
    assert "secret" not in str(caught.value)


def test_a_key_that_no_header_can_hold_is_refused_and_not_quoted(monkeypatch):
    monkeypatch.setenv("SOME_KEY", "secret\r\nX: y")
    with pytest.raises(SourceError, match="SOME_KEY holds characters") as caught:
        Endpoint(base_url="http://localhost/v1", model="m", key="SOME_KEY").headers()
    assert "secret" not in str(caught.value)


def test_urls():
    endpoint = Endpoint(base_url="http://localhost:1/v1/", model="m")
    assert endpoint.chat_url == "http://localhost:1/v1/chat/completions"
    assert endpoint.root_url == "http://localhost:1"
    with pytest.raises(SourceError, match="name of a model"):
        Endpoint(base_url="http://localhost:1/v1/", model="")
