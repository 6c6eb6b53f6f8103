"""The page in headless Chromium: `make test-page`."""

import re
import time

import pytest

from tests.page.serving import CHROMIUM, headless_chromium, served
from tests.support.runs import SETTINGS
from tests.support.small_tasks import TREES, lines, sick, trained

pytest.importorskip("gradio", reason="the extra `explore` is not installed")
pytest.importorskip("playwright", reason="the extra `test-page` is not installed")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium (Debian: apt-get install chromium)"
)
LABELS = ("entailment", "neutral", "contradiction")
MILLISECONDS = 60_000  # longest wait


@pytest.fixture(scope="module")
def address(finished):
    """The address of the page with two copies of the finished run."""
    with served(finished / "run", finished / "run") as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    with headless_chromium() as browser:
        yield browser


@pytest.fixture
def page(browser, address):
    context = browser.new_context()
    yield open_page(context, address)
    context.close()


def open_page(context, address):
    page = context.new_page()
    page.requested = []
    page.on("request", lambda request: page.requested.append(request.url))
    page.goto(address)
    page.locator("#submit").wait_for(timeout=MILLISECONDS)
    return page


def submit(page, premise, hypothesis):
    page.locator("#premise textarea").fill(premise)
    page.locator("#hypothesis textarea").fill(hypothesis)
    page.locator("#submit").click()


def read_label(page, number=1):
    return page.locator(f"#label-{number}").inner_text()


def wait_for_words(page, *words):
    for word in words:
        page.locator("#map-1 span", has_text=word).first.wait_for(timeout=MILLISECONDS)


def test_a_pair_shows_its_label_maps_and_colored_words(page, finished):
    import dsa

    submit(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    (expected,) = dsa.load(finished / "run").predict([("A man sleeps.", "A dog runs.")])
    for number in (1, 2):
        text = read_label(page, number)
        assert text.strip().splitlines()[1].strip() == expected.label
        share = expected.probabilities[expected.label]
        assert f"{100 * share:.2f} %" in text and "dev accuracy " in text
        assert all(label in text for label in LABELS)
        assert page.locator(f"#map-{number} .map").count() == 2
    assert not page.locator("#numbers-1").is_visible()
    page.get_by_text("More numbers for each word").click()
    page.locator("#numbers-1").get_by_text("gate, forward").first.wait_for()
    words = page.locator("#numbers-1").inner_text()
    for name in ("gate, forward", "source2token weight", "max-pooled features"):
        assert name in words


def read_percentages(page, number=1):
    words = page.locator(f"#map-{number} .map >> nth=0 >> .seen span")
    return words.evaluate_all("all => all.map(word => word.dataset.percent)")


def test_a_pointer_on_a_word_shows_its_attention_in_both_runs(page):
    submit(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    average = read_percentages(page)
    page.locator("#map-1 [data-key=premise-1]").hover()
    assert (
        read_percentages(page)
        == read_percentages(page, 2)
        == ["100%", "0%", "0%", "0%"]
    )
    page.locator("#submit").hover()
    assert read_percentages(page) == average


def test_the_switches_select_direction_and_head(page):
    submit(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    for switch, choice in (("direction", "backward"), ("head", "2")):
        before = page.locator("#map-1 .map").first.get_attribute("data-weights")
        page.locator(f"#{switch}").get_by_label(choice, exact=True).click()
        page.wait_for_function(
            "old => document.querySelector('#map-1 .map').dataset.weights !== old",
            arg=before,
            timeout=MILLISECONDS,
        )


def test_a_click_on_an_example_predicts_it(page, finished):
    submit(page, "A zebra sleeps.", "A dog runs.")
    wait_for_words(page, "zebra")
    page.get_by_role("button", name=" / ").first.click()
    page.locator("#map-1 span", has_text="zebra").first.wait_for(state="detached")
    assert page.locator("#premise textarea").input_value() != "A zebra sleeps."


def test_the_page_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    submit(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    premise, hypothesis = (
        page.locator(f"#{name}").bounding_box() for name in ("premise", "hypothesis")
    )
    assert premise["x"] == hypothesis["x"] and premise["y"] < hypothesis["y"]


def test_the_address_contains_the_pair(page, browser):
    submit(page, "A man sleeps.", "A zebra runs.")
    wait_for_words(page, "zebra")
    link = page.url
    assert "premise=A+man+sleeps.&hypothesis=A+zebra+runs." in link
    other = open_page(browser.new_context(), link)
    wait_for_words(other, "zebra")
    assert other.locator("#hypothesis textarea").input_value() == "A zebra runs."


def test_two_sessions_are_independent(browser, address):
    contexts = [browser.new_context() for _ in range(2)]
    pages = [open_page(context, address) for context in contexts]
    for word, page in zip(("cats", "birds"), pages, strict=True):
        submit(page, f"Two {word} sleep.", "Nobody sleeps.")
    for word, page in zip(("cats", "birds"), pages, strict=True):
        wait_for_words(page, word)
        other = "birds" if word == "cats" else "cats"
        assert other not in page.locator("#map-1").inner_text()
    for context in contexts:
        context.close()


def test_a_text_of_700_words_gets_a_label_and_no_map(page):
    submit(page, "word " * 700, "A man sleeps.")
    message = "attention maps are limited to 120 words. Received: 700 tokens"
    page.locator("#note").get_by_text(message).wait_for(timeout=MILLISECONDS)
    assert any(label in read_label(page) for label in LABELS)
    assert page.locator("#map-1 .map").count() == 0


@pytest.mark.parametrize(
    "premise, message",
    [
        ("", "the premise is empty"),
        ("a" * 100_000, "is limited to 4,000 characters. Received: 100,000"),
    ],
)
def test_invalid_texts_show_a_message(page, premise, message):
    submit(page, premise, "A man sleeps.")
    note = page.locator("#note")
    note.get_by_text(message).wait_for(timeout=MILLISECONDS)
    assert page.locator("#map-1 .map").count() == 0


def test_markup_is_escaped(page):
    page.evaluate("window.harmed = false")
    harm = "<img src=x onerror='window.harmed=true'><script>window.harmed=true</script>"
    submit(page, f"{harm} ${{window.harmed=true}} {{{{7*7}}}} end", "$x$ <b>bold</b>")
    wait_for_words(page, "end", "onerror", "7*7")
    time.sleep(0.5)  # long enough for a script to run
    assert page.evaluate("window.harmed") is False
    assert page.locator("#map-1 img, #map-1 script, #map-1 b").count() == 0


def test_the_browser_sends_requests_to_the_page_only(page, address):
    submit(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    others = [url for url in page.requested if not url.startswith((address, "data:"))]
    assert page.requested and not others


def test_the_page_listens_on_one_address_only(address):
    import socket

    port = int(address.rpartition(":")[2])
    socket.create_connection(("127.0.0.1", port), timeout=2).close()
    with pytest.raises(OSError):  # another address of this machine
        socket.create_connection(("127.0.0.2", port), timeout=2)


def test_other_hosts_are_rejected(address):
    import urllib.error
    import urllib.request

    request = urllib.request.Request(address, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(request)


def test_a_run_can_be_deleted_after_it_is_loaded(finished, tmp_path, browser):
    import shutil

    run = shutil.copytree(finished / "run", tmp_path / "run")
    with served(run) as address:
        page = open_page(browser.new_context(), address)
        shutil.rmtree(run)
        submit(page, "A man sleeps.", "A zebra runs.")
        wait_for_words(page, "zebra")
        assert any(label in read_label(page) for label in LABELS)


def test_the_first_example_has_no_unknown_words(page, finished):
    import dsa

    model = dsa.load(finished / "run")
    for name in ("premise", "hypothesis"):
        text = page.locator(f"#{name} textarea").input_value()
        assert text and not model.vocabulary.list_unknown(model.tokenizer(text))


def test_unknown_words_are_listed_and_marked(page):
    submit(page, "A zebra sleeps.", "A man sleeps.")
    page.locator("#note p", has_text="zebra").first.wait_for(timeout=MILLISECONDS)
    assert "zebra" in page.locator("#note").inner_text()
    word = page.locator("#map-1 span", has_text="zebra").first
    assert word.get_attribute("class") == "unknown"
    known = page.locator("#map-1 span", has_text="man").first
    assert not known.get_attribute("class")


def test_the_page_uses_the_width_of_the_window(page):
    page.set_viewport_size({"width": 1900, "height": 900})
    boxes = [page.locator(f"#map-{number}").bounding_box() for number in (1, 2)]
    assert sum(box["width"] for box in boxes) > 1700


def test_a_run_on_single_sentences_has_one_text_box(scripts, tmp_path, browser):
    files = {f"{split}.txt": lines(TREES, 12, split) for split in "abc"}
    splits = {"train": "a.txt", "dev": "b.txt", "test": "c.txt"}
    run = trained(scripts, tmp_path, "sst", files, model=SETTINGS["model"], **splits)
    with served(run) as address:
        page = open_page(browser.new_context(), address)
        assert page.locator("#premise").count() == 0
        page.locator("#sentence textarea").fill("A great film")
        page.locator("#submit").click()
        wait_for_words(page, "great")
        assert "very negative" in read_label(page)


def test_a_relatedness_run_shows_the_score(scripts, tmp_path, browser):
    files = {f"{split}.txt": sick(9, split) for split in "abc"}
    splits = {"train": "a.txt", "dev": "b.txt", "test": "c.txt"}
    run = trained(scripts, tmp_path, "sick", files, model=SETTINGS["model"], **splits)
    with served(run) as address:
        page = open_page(browser.new_context(), address)
        submit(page, "A man sleeps.", "A dog runs.")
        note = page.locator("#note")
        note.locator("p", has_text="runs").wait_for(timeout=MILLISECONDS)  # unknown
        shown = note.inner_text()
        score = float(re.search(r"score (\d\.\d\d)", shown)[1])
        assert 1 <= score <= 5
        assert "runs" in shown
