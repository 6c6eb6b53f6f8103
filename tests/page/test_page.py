"""The page in headless Chromium: `make test-page`."""

import re
import time

import pytest

from tests.page.serving import CHROMIUM, headless_chromium, served
from tests.support.small_tasks import TREES, lines, sick, trained

pytest.importorskip("gradio", reason="the extra `explore` is not installed")
pytest.importorskip("playwright", reason="the extra `test-page` is not installed")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium (Debian: apt-get install chromium)"
)
LABELS = ("entailment", "neutral", "contradiction")
SECONDS = 60_000  # of the longest wait, in milliseconds


@pytest.fixture(scope="module")
def address(finished):
    """The page over the finished run, beside itself."""
    with served(finished / "run", finished / "run") as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    with headless_chromium() as browser:
        yield browser


@pytest.fixture
def page(browser, address):
    context = browser.new_context()
    yield opened(context, address)
    context.close()


def opened(context, address):
    page = context.new_page()
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    page.goto(address)
    page.locator("#look").wait_for(timeout=SECONDS)
    return page


def look(page, premise, hypothesis):
    page.locator("#premise textarea").fill(premise)
    page.locator("#hypothesis textarea").fill(hypothesis)
    page.locator("#look").click()


def shown_label(page, number=1):
    return page.locator(f"#label-{number}").inner_text()


def wait_for_words(page, *words):
    for word in words:
        page.locator("#map-1 span", has_text=word).first.wait_for(timeout=SECONDS)


def test_a_pair_shows_its_label_maps_and_colored_words(page, finished):
    import dsa

    look(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    (expected,) = dsa.load(finished / "run").predict([("A man sleeps.", "A dog runs.")])
    for number in (1, 2):
        text = shown_label(page, number)
        assert text.strip().splitlines()[1].strip() == expected.label
        share = expected.probabilities[expected.label]
        assert f"{100 * share:.0f}%" in text
        assert all(label in text for label in LABELS)
        assert page.locator(f"#map-{number} .map").count() == 2
    assert not page.locator("#numbers-1").is_visible()
    page.get_by_text("More numbers for each word").click()
    page.locator("#numbers-1").get_by_text("gate, forward").first.wait_for()
    words = page.locator("#numbers-1").inner_text()
    for name in ("gate, forward", "source2token weight", "max-pooled features"):
        assert name in words


def shares(page, number=1):
    words = page.locator(f"#map-{number} .map >> nth=0 >> .seen span")
    return words.evaluate_all("all => all.map(word => word.dataset.percent)")


def test_a_pointer_on_a_word_shows_what_it_looks_at_in_both_runs(page):
    look(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    average = shares(page)
    page.locator("#map-1 [data-key=premise-1]").hover()
    assert shares(page) == shares(page, 2) == ["100%", "0%", "0%", "0%"]
    page.locator("#look").hover()
    assert shares(page) == average


def test_direction_and_head_are_chosen(page):
    look(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    for switch, choice in (("direction", "backward"), ("head", "2")):
        before = page.locator("#map-1 .map").first.get_attribute("data-weights")
        page.locator(f"#{switch}").get_by_label(choice, exact=True).click()
        page.wait_for_function(
            "old => document.querySelector('#map-1 .map').dataset.weights !== old",
            arg=before,
            timeout=SECONDS,
        )


def test_an_example_is_answered_at_a_click(page, finished):
    look(page, "A zebra sleeps.", "A dog runs.")
    wait_for_words(page, "zebra")
    page.get_by_role("button", name=" / ").first.click()
    page.locator("#map-1 span", has_text="zebra").first.wait_for(state="detached")
    assert page.locator("#premise textarea").input_value() != "A zebra sleeps."


def test_it_fits_a_telephone(page):
    page.set_viewport_size({"width": 390, "height": 844})
    look(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_two_sessions_do_not_see_each_other(browser, address):
    contexts = [browser.new_context() for _ in range(2)]
    pages = [opened(context, address) for context in contexts]
    for word, page in zip(("cats", "birds"), pages, strict=True):
        look(page, f"Two {word} sleep.", "Nobody sleeps.")
    for word, page in zip(("cats", "birds"), pages, strict=True):
        wait_for_words(page, word)
        other = "birds" if word == "cats" else "cats"
        assert other not in page.locator("#map-1").inner_text()
    for context in contexts:
        context.close()


def test_a_paste_of_700_words_gets_a_label_and_no_map(page):
    look(page, "word " * 700, "A man sleeps.")
    message = "at most 120 words; this sentence has 700 tokens"
    page.locator("#note").get_by_text(message).wait_for(timeout=SECONDS)
    assert any(label in shown_label(page) for label in LABELS)
    assert page.locator("#map-1 .map").count() == 0


@pytest.mark.parametrize(
    "premise, message",
    [
        ("", "the premise is empty"),
        ("a" * 100_000, "has 100,000 characters; the limit is 4,000"),
    ],
)
def test_what_cannot_be_read_is_said_in_the_page(page, premise, message):
    look(page, premise, "A man sleeps.")
    note = page.locator("#note")
    note.get_by_text(message).wait_for(timeout=SECONDS)
    assert page.locator("#map-1 .map").count() == 0


def test_markup_is_text(page):
    page.evaluate("window.harmed = false")
    harm = "<img src=x onerror='window.harmed=true'><script>window.harmed=true</script>"
    look(page, f"{harm} ${{window.harmed=true}} {{{{7*7}}}} end", "$x$ <b>bold</b>")
    wait_for_words(page, "end", "onerror", "7*7")
    time.sleep(0.5)  # what would be executed has had its time
    assert page.evaluate("window.harmed") is False
    assert page.locator("#map-1 img, #map-1 script, #map-1 b").count() == 0


def test_the_browser_asks_nobody_else(page, address):
    look(page, "A man sleeps.", "A dog runs.")
    wait_for_words(page, "sleeps")
    others = [url for url in page.asked if not url.startswith((address, "data:"))]
    assert page.asked and not others


def test_only_this_machine_can_ask(address):
    import socket

    port = int(address.rpartition(":")[2])
    socket.create_connection(("127.0.0.1", port), timeout=2).close()
    with pytest.raises(OSError):  # another address of this machine
        socket.create_connection(("127.0.0.2", port), timeout=2)


def test_other_sites_are_not_answered(address):
    import urllib.error
    import urllib.request

    request = urllib.request.Request(address, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(request)


def test_a_run_that_is_deleted_is_still_answered(finished, tmp_path, browser):
    import shutil

    run = shutil.copytree(finished / "run", tmp_path / "run")
    with served(run) as address:
        page = opened(browser.new_context(), address)
        shutil.rmtree(run)
        look(page, "A man sleeps.", "A zebra runs.")
        wait_for_words(page, "zebra")
        assert any(label in shown_label(page) for label in LABELS)


def test_the_first_texts_are_of_words_that_the_run_knows(page, finished):
    import dsa

    model = dsa.load(finished / "run")
    for name in ("premise", "hypothesis"):
        text = page.locator(f"#{name} textarea").input_value()
        assert text and not model.vocabulary.list_unknown(model.tokenizer(text))


def test_unknown_words_are_named_and_marked(page):
    look(page, "A zebra sleeps.", "A man sleeps.")
    page.locator("#note p", has_text="zebra").first.wait_for(timeout=SECONDS)
    assert "zebra" in page.locator("#note").inner_text()
    word = page.locator("#map-1 span", has_text="zebra").first
    assert word.get_attribute("class") == "unknown"
    known = page.locator("#map-1 span", has_text="man").first
    assert not known.get_attribute("class")


def test_the_page_uses_its_width(page):
    page.set_viewport_size({"width": 1900, "height": 900})
    boxes = [page.locator(f"#map-{number}").bounding_box() for number in (1, 2)]
    assert sum(box["width"] for box in boxes) > 1700


def test_a_run_on_single_sentences_has_one_box(scripts, tmp_path, browser):
    files = {f"{split}.txt": lines(TREES, 12, split) for split in "abc"}
    splits = {"train": "a.txt", "dev": "b.txt", "test": "c.txt"}
    run = trained(scripts, tmp_path, "sst", files, **splits)
    with served(run) as address:
        page = opened(browser.new_context(), address)
        assert page.locator("#premise").count() == 0
        page.locator("#sentence textarea").fill("A great film")
        page.locator("#look").click()
        wait_for_words(page, "great")
        assert "very negative" in shown_label(page)


def test_a_run_on_scores_shows_the_score(scripts, tmp_path, browser):
    files = {f"{split}.txt": sick(9, split) for split in "abc"}
    splits = {"train": "a.txt", "dev": "b.txt", "test": "c.txt"}
    run = trained(scripts, tmp_path, "sick", files, **splits)
    with served(run) as address:
        page = opened(browser.new_context(), address)
        look(page, "A man sleeps.", "A dog runs.")
        note = page.locator("#note")
        note.locator("p", has_text="runs").wait_for(timeout=SECONDS)  # unknown
        shown = note.inner_text()
        score = float(re.search(r"score (\d\.\d\d)", shown)[1])
        assert 1 <= score <= 5
        assert "runs" in shown
