"""Random changes of the bytes of a file."""

import re

NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE]-?\d+)?")
HUGE = (
    b"1" + b"0" * 30,
    b"-1" + b"0" * 30,
    b"1e308",
    b"-1e400",
    b"9" * 5000,
    b"2147483648",
    b"-1",
    b"0",
    b".nan",
    b"NaN",
    b"Infinity",
    b"013",
    b"1:30",
    b"1_0",
    "١٢".encode(),
)
ODD = (
    b"\x00",
    b"\r",
    b"\r\n",
    b"\t",
    b'"',
    b"\xff\xfe",
    b"\xed\xa0\x80",  # a lone surrogate
    "\ufeff".encode(),
    "\u202e".encode(),  # right-to-left override
    "\u2028".encode(),
    "e\u0301".encode(),
    "\U0001f9d1\u200d\U0001f680".encode(),
    b"\x1b[2J",
    b"{",
    b"[",
    b"]}",
    b": ",
    b"&a *a",
    b"!!python/object:os.system",
    b"null",
    b"true",
)


def flip_bits(random, content):
    content = bytearray(content)
    for _ in range(random.randint(1, 8)):
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    return bytes(content)


def cut_end(random, content):
    return content[: random.randrange(len(content))]


def remove_part(random, content):
    begin, end = _span(random, content)
    return content[:begin] + content[end:]


def double_part(random, content):
    begin, end = _span(random, content)
    return (
        content[:end] + content[begin:end] * random.choice([1, 1, 50]) + content[end:]
    )


def swap_parts(random, content):
    a, b = sorted(_span(random, content))
    c, d = sorted(_span(random, content))
    (a, b), (c, d) = sorted([(a, b), (c, d)])
    b = min(b, c)
    return content[:a] + content[c:d] + content[b:c] + content[a:b] + content[d:]


def swap_lines(random, content):
    lines = content.splitlines(keepends=True)
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"".join(lines)


def double_line(random, content):
    lines = content.splitlines(keepends=True)
    lines.insert(random.randrange(len(lines)), random.choice(lines))
    return b"".join(lines)


def change_number(random, content):
    numbers = list(NUMBER.finditer(content))
    if not numbers:
        return insert_odd(random, content)
    number = random.choice(numbers)
    return content[: number.start()] + random.choice(HUGE) + content[number.end() :]


def insert_odd(random, content):
    position = random.randint(0, len(content))
    return content[:position] + random.choice(ODD) + content[position:]


def replace_word(random, content):
    """Replaces a value or key by another word of the file."""
    words = list(re.finditer(rb"[^\s:,{}\[\]]+", content))
    if not words:
        return insert_odd(random, content)
    old, new = random.choice(words), random.choice(words)
    return content[: old.start()] + new.group() + content[old.end() :]


MUTATIONS = (
    flip_bits,
    cut_end,
    remove_part,
    double_part,
    swap_parts,
    swap_lines,
    double_line,
    change_number,
    change_number,
    insert_odd,
    replace_word,
)


def mutate(random, content):
    """Applies one to three random mutations.

    Args:
        random: a `random.Random`.
        content: bytes, not empty.

    Returns: the new bytes, and the names of the mutations.
    """
    names = []
    for _ in range(random.choice([1, 1, 2, 3])):
        if not content:
            break
        mutation = random.choice(MUTATIONS)
        content = mutation(random, content)
        names.append(mutation.__name__)
    return content, names


def _span(random, content):
    begin = random.randrange(len(content))
    longest = random.choice([4, 40, 400])
    return begin, min(len(content), begin + random.randint(1, longest))
