"""Saves a screenshot of the page, and prints its response times.

    .venv-page/bin/python -m tests.page.screenshot OUT.png RUN [RUN]

Prints the seconds from the click to the first colored words for each pair.
"""

import sys
import time

from PIL import Image

from tests.page.serving import headless_chromium, served

PREMISE = "A lady stands outside of a Mexican market."
COLORS = 64  # reduces the file to a third
HYPOTHESES = (  # the last word of each is in no other text
    "A woman is inside.",
    "The lady sells fruit.",
    "A person is near a shop.",
    "A man swims.",
    "A lady is outdoors.",
)


def main(out, *runs):
    with served(*runs) as address, headless_chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(address)
        page.locator("#premise textarea").fill(PREMISE)
        for hypothesis in HYPOTHESES:
            page.locator("#hypothesis textarea").fill(hypothesis)
            began = time.perf_counter()
            page.locator("#submit").click()
            word = hypothesis.rstrip(".").split()[-1]
            page.locator("#map-1 span", has_text=word).first.wait_for()
            print(f"{time.perf_counter() - began:.2f} s")
        page.locator("#map-1 [data-key=premise-3]").hover()
        page.screenshot(path=out, full_page=True)
    Image.open(out).quantize(COLORS).save(out, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
