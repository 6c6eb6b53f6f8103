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
        page.locator("#words span", has_text=word).first.wait_for(timeout=SECONDS)


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
        picture = page.locator(f"#maps-{number} img")
        picture.wait_for(timeout=SECONDS)
        width = picture.evaluate(
            "image => image.decode().then(() => image.naturalWidth)"
        )
        assert width > 300
    words = page.locator("#words").inner_text()
    for name in ("gate, forward", "source2token weight", "max-pooled features"):
        assert name in words


def test_heads_are_shown_on_demand(page):
    look(page, "A man sleeps.", "A dog runs.")
    picture = page.locator("#maps-1 img")
    picture.wait_for(timeout=SECONDS)
    before = picture.get_attribute("src")
    page.get_by_label("heads, backward").click()
    page.wait_for_function(
        "old => document.querySelector('#maps-1 img')?.src !== old",
        arg=before,
        timeout=SECONDS,
    )


def test_two_sessions_do_not_see_each_other(browser, address):
    contexts = [browser.new_context() for _ in range(2)]
    pages = [opened(context, address) for context in contexts]
    for word, page in zip(("cats", "birds"), pages, strict=True):
        look(page, f"Two {word} sleep.", "Nobody sleeps.")
    for word, page in zip(("cats", "birds"), pages, strict=True):
        wait_for_words(page, word)
        other = "birds" if word == "cats" else "cats"
        assert other not in page.locator("#words").inner_text()
    for context in contexts:
        context.close()


def test_a_paste_of_2000_words_gets_a_label_and_no_map(page):
    look(page, "word " * 2000, "A man sleeps.")
    wait_for_words(page, "sleeps")
    note = page.locator("#note").inner_text()
    assert "at most 120 words that can be read, this sentence has 2,000 tokens" in note
    assert any(label in shown_label(page) for label in LABELS)
    assert page.locator("#maps-1 img").count() == 0


@pytest.mark.parametrize(
    "premise, message",
    [
        ("", "text 1 is empty"),
        ("word " * 5000, "has 5,000 tokens; a sentence has at most 4,000"),
    ],
)
def test_what_cannot_be_read_is_said_in_the_page(page, premise, message):
    look(page, premise, "A man sleeps.")
    note = page.locator("#note")
    note.get_by_text(message).wait_for(timeout=SECONDS)
    assert page.locator("#maps-1 img").count() == 0


def test_markup_is_text(page):
    page.evaluate("window.harmed = false")
    harm = "<img src=x onerror='window.harmed=true'><script>window.harmed=true</script>"
    look(page, f"{harm} ${{window.harmed=true}} {{{{7*7}}}} end", "$x$ <b>bold</b>")
    wait_for_words(page, "end", "onerror", "7*7")
    time.sleep(0.5)  # what would be executed has had its time
    assert page.evaluate("window.harmed") is False
    assert page.locator("#words img, #words script, #words b").count() == 0


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

    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        request = urllib.request.Request(address, headers=headers)
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(request)


def test_the_first_texts_are_of_words_that_the_run_knows(page, finished):
    import dsa

    model = dsa.load(finished / "run")
    for name in ("premise", "hypothesis"):
        text = page.locator(f"#{name} textarea").input_value()
        assert text and not model.vocabulary.find_unknown(model.tokenizer(text))


def test_unknown_words_are_named_and_grey(page):
    look(page, "A zebra sleeps.", "A man sleeps.")
    page.locator("#note").get_by_text("unknown to this run").wait_for(timeout=SECONDS)
    assert "zebra" in page.locator("#note").inner_text()
    word = page.locator("#words span", has_text="zebra").first
    assert "background: #dddddd" in word.get_attribute("style")
    known = page.locator("#words span", has_text="man").first
    assert "#dddddd" not in known.get_attribute("style")


def test_the_page_uses_its_width(page):
    page.set_viewport_size({"width": 1900, "height": 900})
    box = page.locator("#words").bounding_box()
    assert box["width"] > 1700


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
        note.get_by_text("score").wait_for(timeout=SECONDS)
        shown = note.inner_text()  # after the score it names unknown words
        score = float(re.search(r"score (\d\.\d\d)", shown)[1])
        assert 1 <= score <= 5
        assert "runs" in shown
