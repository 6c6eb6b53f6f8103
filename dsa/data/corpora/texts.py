"""What a text must be to be read as a sentence."""

from dsa.errors import InputError

MAX_CHARACTERS = 50_000  # the sentence splitter's time grows by the square
MAX_TOKENS = 4_000  # so does the memory of attention


def check_text(text, place):
    """Raises an error for a text that is no text, or longer than any sentence.

    Args:
        text: a str.
        place: what names it in the error.

    Raises: `InputError` for half of a surrogate pair (which UTF-8 cannot hold) and for
        more than 50,000 characters.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"{place} has {len(text):,} characters; a sentence has at most "
            f"{MAX_CHARACTERS:,}"
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{place} is no Unicode text: half of a surrogate pair, or bytes that are "
            "not UTF-8"
        ) from error


def check_length(tokens, place):
    """Raises an error for a sentence of more than 4,000 tokens.

    Raises: `InputError`.
    """
    if tokens > MAX_TOKENS:
        raise InputError(
            f"{place} has {tokens:,} tokens; a sentence has at most {MAX_TOKENS:,}"
        )


BRACKETS = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}
