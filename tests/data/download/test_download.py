"""Downloads from a server on the loopback address."""

import dataclasses
import hashlib
import json
import signal
import socket
import subprocess
import sys
import zipfile

import pytest

from dsa.data.corpora.catalogue import DOWNLOADS
from dsa.data.corpora.corpus import Download, RemoteFile
from dsa.data.download import archives, download
from dsa.errors import InputError
from tests.support.archives import zipped
from tests.support.download_server import FILES, GOOD, Server, all_files, offered


def test_an_archive_is_unpacked_without_metadata_of_macos(offer, tmp_path):
    offer("/good.zip", folder="below")
    found = download.download("x", tmp_path)
    names = ["below/snli_1.0/dev.jsonl", "below/snli_1.0/parses/README.txt"]
    assert sorted(found) == [tmp_path / name for name in names]
    assert all_files(tmp_path) == [*names, "downloads.json"]
    assert found[0].read_text() == "a\n"


def test_vectors_and_plain_files_are_not_unpacked(offer, tmp_path):
    for path in ("/vectors.zip", "/plain.label"):
        offer(path, unpack=False)
        (found,) = download.download("x", tmp_path)
        assert found.read_bytes() == FILES[path]


def test_a_tar_file_is_unpacked_without_links_and_its_top_folder(offer, tmp_path):
    offer("/good.tar.gz", top_folder="sts", folder="below")
    assert download.download("x", tmp_path) == [tmp_path / "below/dev.csv"]
    assert all_files(tmp_path) == ["below/dev.csv", "downloads.json"]


def test_a_file_that_is_no_utf_8_is_written_as_utf_8(offer, tmp_path):
    source = offer("/latin.all", unpack=False, encoding="latin-1")
    (path,) = download.download("x", tmp_path)
    assert path.read_text(encoding="utf-8") == "1 caf\u00e9\n"
    record = json.loads((tmp_path / "downloads.json").read_text())
    assert record[source.url]["sha256"] == source.sha256


def test_a_mirror_with_the_same_sha256_is_tried_next(offer, tmp_path, address):
    good, other = f"{address}/good.zip", f"{address}/escape.zip"
    source = offer("/good.zip", mirrors=(other, good))
    DOWNLOADS["x"] = offered(dataclasses.replace(source, url=f"{address}/missing.zip"))
    assert download.download("x", tmp_path / "root")
    assert "a\n" == (tmp_path / "root/snli_1.0/dev.jsonl").read_text()


def test_an_error_lists_every_server_that_lacks_the_file(offer, tmp_path, address):
    source = offer("/missing.zip", mirrors=(f"{address}/gone.zip",))
    with pytest.raises(InputError) as error:
        download.download("x", tmp_path)
    message = str(error.value)
    assert message.count("HTTP status 404") == 2
    assert f"from the same address or from {address}/gone.zip, check" in message
    DOWNLOADS["x"] = offered(dataclasses.replace(source, sha256=None))
    with pytest.raises(InputError) as error:  # nobody could tell the right file
        download.download("x", tmp_path)
    assert str(error.value).count("HTTP status 404") == 1
    assert "sha256" not in str(error.value)


def test_a_downloaded_file_is_not_downloaded_again(offer, tmp_path, monkeypatch):
    offer("/good.zip")
    found = download.download("x", tmp_path)
    monkeypatch.setattr(download, "fetch", None)
    assert download.download("x", tmp_path) == found


@pytest.mark.parametrize(
    ("path", "options", "name"),
    [
        ("/good.zip", {}, "snli_1.0/dev.jsonl"),
        ("/good.zip", {}, "good.zip"),
        ("/good.tar.gz", {"folder": "below"}, "below/sts/dev.csv"),
        ("/vectors.zip", {"unpack": False}, "vectors.zip"),
        ("/latin.all", {"unpack": False, "encoding": "latin-1"}, "latin.all"),
    ],
)
def test_a_file_of_the_user_is_not_replaced(offer, tmp_path, path, options, name):
    offer(path, **options)
    own = tmp_path / name
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("mine")
    with pytest.raises(InputError, match="exists and was not downloaded by this comm"):
        download.download("x", tmp_path)
    assert own.read_text() == "mine"
    assert all_files(tmp_path) == [name]


def test_a_missing_file_of_a_download_is_downloaded_again(offer, tmp_path):
    offer("/good.zip")
    dev, _ = download.download("x", tmp_path)
    dev.unlink()
    assert dev in download.download("x", tmp_path) and dev.exists()


def test_a_file_with_another_checksum_is_deleted(offer, tmp_path):
    source = offer("/good.zip")
    DOWNLOADS["x"] = offered(dataclasses.replace(source, sha256="0" * 64))
    with pytest.raises(InputError, match="of the downloaded file must be 000"):
        download.download("x", tmp_path)
    assert all_files(tmp_path) == []


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/cut.zip", "cut.zip could not be downloaded|the SHA-256 of the"),
        ("/missing.zip", "missing.zip could not be downloaded .HTTP status 404"),
        ("/escape.zip", r"member '../outside.txt' is outside the folder"),
        ("/absolute.zip", r"member '/tmp/outside.txt' is outside the folder"),
        ("/backslash.zip", r"member '..(\\\\|/)outside.txt' is outside the folder"),
        ("/damaged.zip", "damaged.zip: damaged archive"),
        ("/escape.tar.gz", r"member '../outside.txt' is outside the folder"),
        ("/cut.tar.gz", "cut.tar.gz: damaged archive"),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_a_failed_download_leaves_no_file(offer, tmp_path, path, message, known):
    offer(path, known, folder="below")
    root = tmp_path / "root"
    with pytest.raises(InputError, match=message):
        download.download("x", root)
    assert not root.exists()


def test_an_unknown_sha256_is_recorded_and_must_stay(offer, tmp_path, monkeypatch):
    source = offer("/good.zip", known=False)
    (dev, _) = download.download("x", tmp_path)
    record = json.loads((tmp_path / "downloads.json").read_text())[source.url]
    assert record["sha256"] == hashlib.sha256(GOOD).hexdigest()
    assert record["sha256_from"] == "the first download"
    dev.unlink()
    monkeypatch.setitem(FILES, "/good.zip", zipped(other="c"))
    with pytest.raises(InputError, match="the SHA-256 of"):
        download.download("x", tmp_path)


def test_the_checksums_of_its_members_verify_an_archive(offer, tmp_path, caplog):
    known = {"dev.csv": hashlib.sha256(b"a\n").hexdigest()}
    offer("/good.tar.gz", known=False, file_checksums=known)
    download.download("x", tmp_path)
    assert "sha256" not in caplog.text
    for wrong in ({"dev.csv": "0" * 64}, {"train.csv": known["dev.csv"]}):
        offer("/good.tar.gz", known=False, file_checksums=wrong)
        with pytest.raises(InputError, match=f"the SHA-256 of {[*wrong][0]} must"):
            download.download("x", tmp_path / "new")
        assert not [*tmp_path.glob("new/**/*.csv")]


def test_without_a_network_the_error_describes_the_manual_download(
    tmp_path, monkeypatch, scripts
):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    url = f"http://127.0.0.1:{port}/snli_1.0.zip"
    source = RemoteFile(url, 1, "f" * 64, "here")
    monkeypatch.setitem(DOWNLOADS, "snli", Download("snli", "none", (source,)))
    with pytest.raises(InputError) as error:
        download.download("snli", tmp_path)
    message = str(error.value)
    assert f"{url} could not be downloaded (ConnectionError). Alternatively" in message
    assert "f" * 64 in message and "\n" not in message
    arguments = ["snli", "--data-root", str(tmp_path)]
    assert scripts.download_data.main(arguments) == 2


def test_ctrl_c_leaves_no_file(address, tmp_path):
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from dsa.data.corpora.catalogue import DOWNLOADS\n"
        "from dsa.data.corpora.corpus import Download\n"
        "from dsa.data.download import download\n"
        f"url = {address + '/slow.zip'!r}\n"
        "slow = Download.from_file('x', 'none', url=url, size=1)\n"
        "DOWNLOADS['x'] = slow\n"
        f"download.download('x', {str(tmp_path)!r})\n"
    )
    Server.slow_request.clear()
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)
    # pooch creates the temporary file just before the block that removes it
    assert Server.slow_request.wait(60)
    assert all_files(tmp_path)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in error
    assert all_files(tmp_path) == []


def test_a_record_that_is_no_json_is_an_error(offer, tmp_path):
    offer("/good.zip")
    (tmp_path / "downloads.json").write_text("{")
    with pytest.raises(InputError, match="downloads.json: not JSON"):
        download.download("x", tmp_path)


def test_the_list_names_sizes_and_licences(scripts, capsys):
    assert scripts.download_data.main(["--list"]) == 0
    out = capsys.readouterr().out
    assert "snli                        94.6 MB  CC BY-SA 4.0" in out
    assert "sick                       < 3.0 MB  CC BY-NC-SA 3.0" in out
    assert "multinli_test" in out and "?" not in out.replace("?id=", "")


def test_a_name_next_to_list_raises_an_error(scripts, capsys):
    assert scripts.download_data.main(["--list", "sick"]) == 2
    assert "--list cannot be combined with NAME" in capsys.readouterr().err


def test_manual_downloads_print_their_steps_and_unknown_names_raise_an_error(
    scripts, capsys
):
    assert scripts.download_data.main(["multinli_test"]) == 0
    assert "Kaggle login" in capsys.readouterr().out
    assert scripts.download_data.main(["snly"]) == 2
    assert "unknown download: snly. Known: snli, multinli" in capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_an_error(offer, tmp_path):
    offer("/good.zip")
    (tmp_path / "file").write_text("x")  # a folder's rights would not stop root
    with pytest.raises(OSError):
        download.download("x", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "x"


def test_an_archive_is_checked_once(offer, tmp_path, monkeypatch):
    checked, check = [], zipfile.ZipFile.testzip
    monkeypatch.setattr(
        zipfile.ZipFile, "testzip", lambda each: checked.append(1) or check(each)
    )
    offer("/good.zip")
    download.download("x", tmp_path)
    assert checked == [1]  # a large one takes a minute


def test_a_download_that_failed_while_unpacking_can_be_repeated(
    offer, tmp_path, monkeypatch
):
    write = archives._write

    def fail(path, size, content):
        if path.name == "README.txt":
            raise OSError("disk full")
        write(path, size, content)

    offer("/good.zip")
    with monkeypatch.context() as patch:
        patch.setattr(archives, "_write", fail)
        with pytest.raises(OSError, match="disk full"):
            download.download("x", tmp_path)
    assert all_files(tmp_path) == []
    assert len(download.download("x", tmp_path)) == 2


def test_the_record_of_a_parallel_download_is_kept(offer, tmp_path, monkeypatch):
    offer("/vectors.zip", unpack=False)
    monkeypatch.setitem(DOWNLOADS, "y", DOWNLOADS["x"])
    offer("/good.zip")
    fetch = download.fetch

    def fetch_after_other(source, folder, recorded):
        if source.filename == "good.zip":
            download.download("y", tmp_path)
        return fetch(source, folder, recorded)

    monkeypatch.setattr(download, "fetch", fetch_after_other)
    download.download("x", tmp_path)
    assert len(json.loads((tmp_path / "downloads.json").read_text())) == 2
