"""Installations that fail."""

import os
import shutil
import sys

import pytest

import dev
from tests.dev.asking import refusal

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the pretended Python is a script with #!"),
    pytest.mark.timeout(180),
]

OFFLINE = """\
WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by 'NewConnectionError('<pip._vendor\
.urllib3.connection.HTTPSConnection>: Failed to establish a new connection: [Errno 111]')': /simple/numpy/
ERROR: Could not find a version that satisfies the requirement numpy==2.4.6 (from versions: none)
ERROR: No matching distribution found for numpy==2.4.6
"""
DISK_FULL = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n"
DAMAGED = (
    "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated ...\n"
)
HALF = "ERROR: Wheel 'numpy' located at /tmp/pip-unpack/numpy-2.4.6.whl is invalid.\n"
NO_WHEEL = "error: subprocess-exited-with-error\nERROR: Failed building wheel for numpy\n"


@pytest.fixture
def outdated(ready, project):
    (project / "requirements.txt").write_text("numpy==2.4.7\n", "utf-8")
    return ready


@pytest.mark.parametrize(
    ("stderr", "sentence"),
    [
        (OFFLINE, "No package registry could be reached"),
        (DISK_FULL, "The disk is full"),
        (OFFLINE + DISK_FULL, "The disk is full"),
        (DAMAGED, "arrived damaged"),
        (HALF, "arrived damaged"),
        (NO_WHEEL, "The installation failed: Failed building wheel for numpy"),
    ],
    ids=["offline", "disk full", "both", "damaged", "half a download", "anything else"],
)
def test_a_failure_of_pip_is_one_sentence(outdated, monkeypatch, stderr, sentence):
    monkeypatch.setattr(dev, "venv_works", lambda: True)
    outdated.answers(stderr)

    told = refusal(dev.prepare, "run")

    assert sentence in told
    assert "\n" not in told


@pytest.mark.parametrize("stderr", [DISK_FULL, DAMAGED, NO_WHEEL], ids=["disk full", "damaged", "else"])
def test_after_a_failed_installation_the_environment_is_made_anew(outdated, monkeypatch, stderr):
    monkeypatch.setattr(dev, "venv_works", lambda: True)
    outdated.answers(stderr)
    refusal(dev.prepare, "run")
    outdated.answers("", code=0)
    outdated.forget_calls()

    dev.prepare("run")

    assert outdated.calls() == ["make venv", "pip"]


def test_without_a_network_the_earlier_environment_still_serves_the_earlier_requirements(
    outdated, project, monkeypatch
):
    monkeypatch.setattr(dev, "venv_works", lambda: True)
    outdated.answers(OFFLINE)
    refusal(dev.prepare, "run")
    outdated.forget_calls()

    (project / "requirements.txt").write_text("# requirements.txt\n", "utf-8")
    dev.prepare("run")

    assert outdated.calls() == []


@pytest.mark.usefixtures("outdated")
def test_an_installation_that_is_interrupted_leaves_the_environment_unfinished(monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(dev, "call", interrupt)
    monkeypatch.setattr(dev, "venv_works", lambda: True)

    with pytest.raises(KeyboardInterrupt):
        dev.prepare("run")

    assert dev.UNFINISHED in dev.read_stamp()


def test_a_full_disk_under_dev_itself_is_one_sentence():
    assert "The disk is full" in dev.explain_os_error(OSError(28, os.strerror(28)))


def test_a_full_disk_is_noticed_where_venv_hides_it(monkeypatch):
    monkeypatch.setattr(dev.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**9, 10**9, 0))

    assert "The disk is full" in dev.explain_pip("ensurepip returned non-zero exit status 1.")


def test_the_model_is_refused_with_the_sentence_of_its_installer(python):
    python.answers("Downloading\nThe embedded model could not be fetched: check the network.\n")

    installer = dev.start_model_installer()

    assert (
        refusal(dev.await_model, installer) == "The embedded model could not be fetched: check the network."
    )
