"""The live demonstration of the site in headless Chromium: `make test-page`."""

import json

import numpy as np
import pytest
from keras import ops

import dsa
from dsa.data.prepared.tokenizer import Tokenizer
from tests.page.demo_site import BUILT, PAGE, served_demo
from tests.page.serving import CHROMIUM, headless_chromium

pytest.importorskip("playwright", reason="the extra `test-page` is not installed")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium"),
    pytest.mark.skipif(not (BUILT / "ready").exists(), reason="make build/demo/ready"),
]
SECONDS = 60_000  # the longest wait, in milliseconds
PAIRS = (
    ("A lady stands outside of a Mexican market.", "A woman is outdoors."),
    ("Two dogs run. They're in the snow!", "The dogs can't run (at all)."),
    ('He said: "Don\'t go", and left at 10:30 a.m.', "Nobody's leaving..."),
    ("The café's menu costs $3.88 & it's wanna-be.", "Zxqyv cannot pay"),
)


@pytest.fixture(scope="module")
def model():
    return dsa.load("snli")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    with served_demo(tmp_path_factory.mktemp("demo")) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    with headless_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def page(browser, address):
    return opened(browser, address)


def opened(browser, address, width=1280, **options):
    size = {"width": width, "height": 844}
    page = browser.new_context(viewport=size, **options).new_page()
    page.goto(f"{address}/index.html")
    page.wait_for_function("document.body.dataset.drawn", timeout=SECONDS)
    return page


def predict_in_page(page, premise, hypothesis, alpha):
    """Returns probabilities and `{name: map}` of texts, as the page computes them."""
    script = """async ([premise, hypothesis, alpha]) => {
      const { predict, tokenize } = window.demo;
      const { probabilities, maps } =
        await predict(tokenize(premise), tokenize(hypothesis), alpha);
      const names = Object.keys(maps).filter((name) => name !== "logits");
      const lists = names.map((name) => [name, Array.from(maps[name].data)]);
      return [probabilities, Object.fromEntries(lists)];
    }"""
    return page.evaluate(script, [premise, hypothesis, alpha])


@pytest.mark.parametrize("texts", PAIRS)
def test_the_page_predicts_as_python(page, model, texts):
    probabilities, _ = predict_in_page(page, *texts, 1.5)
    (expected,) = model.predict([texts])
    assert probabilities == pytest.approx(expected.probabilities, abs=1e-4)


@pytest.mark.parametrize("alpha", [0.0, 0.7, 1.5, 3.0])
def test_alpha_changes_prediction_and_maps_as_in_python(page, model, alpha):
    tokens = [[t.lower() for t in Tokenizer()(text)] for text in PAIRS[0]]
    ids = [ops.array([model.vocabulary.ids(sentence)]) for sentence in tokens]
    blocks = model.model.encoder.directions
    try:
        for block in blocks:
            block.self_attention.alpha = alpha
        inputs = dict(zip(("premise", "hypothesis"), ids, strict=True))
        logits, maps = model.model.explain(inputs)
    finally:
        for block in blocks:
            block.self_attention.alpha = 1.5
    probabilities, drawn = predict_in_page(page, *PAIRS[0], alpha)
    expected = ops.convert_to_numpy(ops.softmax(logits))[0]
    np.testing.assert_allclose(list(probabilities.values()), expected, atol=1e-4)
    attention = [one for one in maps if one.what == "attention"]
    assert len(attention) == len(drawn) == 4
    for one in attention:
        mean = ops.convert_to_numpy(one.values)[0].mean(axis=0)
        name = f"{one.sentence}_{one.direction}"
        np.testing.assert_allclose(drawn[name], mean.ravel(), atol=1e-4)


@pytest.mark.parametrize("text", [text for pair in PAIRS for text in pair])
def test_the_page_tokenizes_as_python(page, text):
    tokens = page.evaluate("(text) => window.demo.tokenize(text)", text)
    assert tokens == Tokenizer(lowercase=False)(text)


def test_the_slider_moves_by_keyboard_and_redraws(page):
    before = page.evaluate("document.body.dataset.drawn")
    page.locator("#alpha").focus()
    page.keyboard.press("Home")
    page.wait_for_function(
        "before => document.body.dataset.drawn !== before", arg=before, timeout=SECONDS
    )
    assert page.locator("#alpha-value").inner_text() == "0.0"
    drawn = json.loads(page.evaluate("document.body.dataset.drawn"))
    expected, _ = predict_in_page(page, *PAIRS[0], 0.0)
    assert drawn == pytest.approx(expected, abs=1e-6)


def test_a_phone_shows_the_page_without_scrolling_sideways(browser, address):
    page = opened(browser, address, width=390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_browser_without_webassembly_gets_a_message(browser, address):
    page = browser.new_context().new_page()
    page.add_init_script("delete window.WebAssembly")
    page.goto(f"{address}/index.html")
    status = page.locator("#status.error")
    status.wait_for(timeout=SECONDS)
    assert "needs WebAssembly" in status.inner_text()


def test_the_download_has_at_most_25_megabytes():
    files = [*PAGE.iterdir(), *BUILT.iterdir()]
    assert sum(path.stat().st_size for path in files) <= 25e6
