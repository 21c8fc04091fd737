"""Which servers there are: the configuration alone says so, and a key never shows itself."""

import pytest

from core.errors import InputError
from core.lm.servers import OLLAMA, host, is_local, read_servers

KEY = "sk-very-secret-0123456789"
COMPATIBLE = {"LOOPSCOPE_OPENAI_BASE_URL": "https://models.example.org/v1"}


def test_without_settings_there_is_the_usual_ollama_which_nobody_configured() -> None:
    servers = read_servers({})
    assert (servers.ollama.url, servers.ollama.configured, servers.openai) == (OLLAMA, False, None)


def test_an_address_that_is_set_is_configured() -> None:
    ollama = read_servers({"LOOPSCOPE_OLLAMA": " http://lab:11434/ "}).ollama
    assert (ollama.url, ollama.configured) == ("http://lab:11434", True)


def test_the_environment_is_read_if_no_settings_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPSCOPE_OLLAMA", "http://lab:1")
    assert read_servers().ollama.url == "http://lab:1"


def test_an_empty_setting_is_none() -> None:
    assert not read_servers({"LOOPSCOPE_OLLAMA": "", "LOOPSCOPE_OPENAI_BASE_URL": " "}).ollama.configured


def test_settings_beside_ours_may_be_of_any_kind() -> None:
    assert read_servers({"connections": {"a": 1}, "PORT": 8501}).openai is None


def test_a_compatible_server_has_its_address_and_model() -> None:
    server = read_servers(COMPATIBLE | {"LOOPSCOPE_OPENAI_MODEL": "small"}).openai
    assert server is not None
    assert (server.url, server.model, server.key) == ("https://models.example.org/v1", "small", None)


@pytest.mark.parametrize(
    "settings",
    [
        {"OPENAI_API_KEY": KEY},
        {"LOOPSCOPE_OPENAI_KEY": KEY},
        {"LOOPSCOPE_OPENAI_KEY": KEY, "OPENAI_API_KEY": "another"},
    ],
)
def test_our_own_key_goes_before_the_usual_one(settings) -> None:
    server = read_servers(COMPATIBLE | settings).openai
    assert server is not None
    assert server.key is not None
    assert server.key.get_secret_value() == KEY


@pytest.mark.parametrize("write", [repr, str, lambda servers: servers.model_dump_json()])
def test_a_key_is_never_written(write) -> None:
    assert KEY not in write(read_servers(COMPATIBLE | {"OPENAI_API_KEY": KEY}))


@pytest.mark.parametrize("key", [f"{KEY} x", f"{KEY}\nx", f"{KEY}é"])
def test_a_key_that_cannot_be_sent_is_refused_without_repeating_it(key) -> None:
    with pytest.raises(InputError, match="OPENAI_API_KEY holds a space") as refusal:
        read_servers(COMPATIBLE | {"OPENAI_API_KEY": key})
    assert KEY not in str(refusal.value)


@pytest.mark.parametrize(
    "address",
    [
        "localhost:11434",
        "lab",
        "ftp://lab",
        "file:///etc/passwd",
        "http://",
        "http://lab:x",
        "http://lab:0",
        "http://lab:99999",
        "http://[::1",
        "http://a b",
        "http://lab\x07",
    ],
)
def test_what_is_no_address_is_refused(address) -> None:
    with pytest.raises(InputError, match=r"LOOPSCOPE_OLLAMA is not an address: write it as in http://127"):
        read_servers({"LOOPSCOPE_OLLAMA": address})


@pytest.mark.parametrize(
    "address", [f"https://user:{KEY}@lab", f"https://lab/?token={KEY}", f"https://lab/#{KEY}"]
)
def test_a_secret_in_an_address_is_refused_without_repeating_it(address) -> None:
    with pytest.raises(InputError, match="must be an address alone") as refusal:
        read_servers({"LOOPSCOPE_OPENAI_BASE_URL": address})
    assert KEY not in str(refusal.value)


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://127.0.0.1:1", True),
        ("http://localhost/v1", True),
        ("http://[::1]:1", True),
        ("http://10.0.0.1", False),
        ("https://localhost.example.org", False),
    ],
)
def test_this_computer_is_known(url, local) -> None:
    assert is_local(url) is local


def test_a_screen_names_a_server_by_host_and_port() -> None:
    assert host("http://lab:11434/v1") == "lab:11434"
