"""How much `dsa serve` answers on this machine, how fast, and in how much memory.

    python benchmarks/serving.py [--out results/benchmarks/serving.json]
    python benchmarks/serving.py --rounds 1 --seconds 3 --requests 2000 --minutes 0.5

A server and a client of one process, on the loopback, share the cores. Parts:

1. one client that asks a pair, waits for the answer, and asks the next; then many
   clients that do so at the same time: in turn, `--rounds` times;
2. half of the requests a second of the many clients, at even distances; times count
   from the moment that a request was due;
3. `--requests` requests of many clients: each names a word that no other one has, which
   its answer must name as unknown, beside the label and the probabilities of its pair;
4. half of the load for `--minutes`: the server's memory, sampled;
5. a storm of large requests: one client that asks `ROWS_OF_STORM` rows at a time, then
   many that ask again at once, answered or refused, in turn; rows answered per second;
6. the dearest requests that are allowed: as many bytes as a body may have, as pairs of
   the longest texts; their seconds, the server's largest memory, and how long a client
   that asks one pair waits beside them.

During part 3 the server's memory is sampled, too.

`client_cores` and `server_cores` say how many cores the two worked on: where their sum
is the number of the machine's cores, the client takes from the server.
"""

import asyncio
import contextlib
import functools
import json
import math
import re
import statistics
import subprocess
import sys
import time
import urllib.request

import machine_load
import measuring
import psutil
from http_client import Load

from dsa.inference.serving.limits import Limits

BEGINNINGS = ("a man", "a woman", "two men", "the dog", "a big dog", "a cat", "nobody")
ENDS = ("sleeps", "runs", "eats", "walks in the park", "plays a guitar", "is awake")
SENTENCES = [f"{beginning} {end} ." for beginning in BEGINNINGS for end in ENDS]
DIFFERENCE = 1e-4  # of probabilities
SECONDS_BETWEEN_SAMPLES = 5
MOST_CLIENTS_AT_HALF_LOAD = 256
ROWS_OF_STORM = 400
LETTERS = 2  # of each word of the dearest request, with its space


@contextlib.contextmanager
def serve(run):
    """A server in a process of its own; yields the process and its port."""
    command = [sys.executable, "-m", "dsa", "serve", run, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            address = re.match(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
            if not address:
                raise SystemExit(f"the server ended with exit code {process.wait()}")
            yield psutil.Process(process.pid), int(address[1])
        finally:
            process.terminate()


class Pairs:
    """Pairs that are told apart by a word, and what one client is told of each."""

    def __init__(self, port):
        self.answers = {}
        for number in range(len(SENTENCES)):
            body = json.dumps({"rows": self.make_rows(number)}).encode()
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}/predict", body
            ) as got:
                (self.answers[number],) = json.load(got)["answers"]

    def make_rows(self, number):
        position = number % len(SENTENCES)
        other = SENTENCES[-1 - 5 * position % len(SENTENCES)]
        return [[f"word{number} {SENTENCES[position]}", other]]

    def is_right(self, number, answers):
        (answer,) = answers
        expected = self.answers[number % len(SENTENCES)]
        unknown = [f"word{number}", *expected["unknown"][1:]]
        return answer["unknown"] == unknown and all(
            math.isclose(answer["probabilities"][label], share, abs_tol=DIFFERENCE)
            for label, share in expected["probabilities"].items()
        )


def measure(server, load, make_task):
    """The figures of a part.

    Args:
        server: its `psutil.Process`.
        load: a new `Load`.
        make_task: a function of the load to what is awaited.
    """
    before, began = _read_cpu(server), time.perf_counter()
    asyncio.run(make_task(load))
    wall = time.perf_counter() - began
    client, of_server = (
        round((after - start) / wall, 2)
        for after, start in zip(_read_cpu(server), before, strict=True)
    )
    return {
        "requests_per_second": round(len(load.seconds) / wall, 1),
        **describe_times(load.seconds),
        "refused": load.refused,
        "lost": load.lost,
        "exchanged": load.wrong,
        "client_cores": client,
        "server_cores": of_server,
    }


def describe_times(seconds):
    """The median and high quantiles, in milliseconds."""
    ordered = sorted(seconds)
    return {
        f"p{percent:g}_ms": round(
            1000 * ordered[math.ceil(len(ordered) * percent / 100) - 1], 2
        )
        for percent in (50, 99, 99.9)
    }


def _read_cpu(server):
    times = server.cpu_times()
    return time.process_time(), times.user + times.system


def sampling(server, samples, make_task):
    """As `make_task`; samples of the server's memory are added to a list meanwhile."""

    async def run(load):
        task = asyncio.create_task(make_task(load))
        samples.extend(await sample_memory(server, task))

    return run


async def sample_memory(server, working):
    """The server's megabytes every few seconds, until a task ends."""
    samples = []
    while not working.done():
        samples.append(round(server.memory_info().rss / 2**20, 1))
        await asyncio.wait([working], timeout=SECONDS_BETWEEN_SAMPLES)
    working.result()
    return samples


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument("--run", default="mini", help="run folder or release")
    parser.add_argument("--seconds", type=float, default=10, help="of each round")
    parser.add_argument("--requests", type=int, default=100_000, help="of part 3")
    parser.add_argument("--minutes", type=float, default=10, help="of part 4")
    parser.add_argument("--storm", type=float, default=60, help="seconds of part 5")
    parser.add_argument("--clients", type=int, default=64)
    options = parser.parse_args()
    cores = machine_load.refuse_load(options.anyway)
    with serve(options.run) as (server, port):
        pairs = Pairs(port)
        figures, samples = run_parts(options, server, port, pairs)
        dearest = measure_dearest(server, port)
        print(f"dearest request: {dearest}", flush=True)
    many, one = (
        figures[name]["requests_per_second"] for name in (MANY, "one at a time")
    )
    measuring.report(
        __file__,
        options,
        cores,
        figures,
        clients=options.clients,
        throughput_of_many_to_one=measuring.median_ratio(many, one),
        rows_in_a_storm_to_without=measuring.median_ratio(
            *(figures[name]["requests_per_second"] for name in STORM)
        ),
        dearest_request=dearest,
        memory_megabytes=samples,
        memory_growth_megabytes=describe_growth(samples["at half load"]),
    )


MANY = "many at once"
STORM = ("a storm of large requests", "large requests of one client")


def make_large(number):
    """The rows of a large request, each with a word of few requests."""
    return [
        [f"word{number % 97}-{row} {SENTENCES[row % len(SENTENCES)]}", SENTENCES[-1]]
        for row in range(ROWS_OF_STORM)
    ]


def measure_dearest(server, port):
    """What the dearest allowed request takes, and a pair that is asked beside it."""
    limits = Limits()
    words = "a " * (limits.text_characters // LETTERS - 10)
    count = limits.body_bytes // (2 * (len(words) + 20))
    rows = [[f"{words}first{row}", f"{words}other{row}"] for row in range(count)]
    memory, waits = [server.memory_info().rss], []

    async def run():
        large = Load(port, lambda _: rows, lambda _, answers: len(answers) == count)
        small = Load(port, lambda _: [SENTENCES[:2]], lambda *_: True)
        asking = asyncio.create_task(large.run_clients(1, requests=1))
        while not asking.done():
            memory.append(server.memory_info().rss)
            began = time.perf_counter()
            await small.run_clients(1, requests=1)
            waits.append(time.perf_counter() - began)
            await asyncio.sleep(0.02)
        await asking
        return large, small

    large, small = asyncio.run(run())
    return {
        "rows": count,
        "words": 2 * count * len(words.split()),
        "seconds": [round(seconds, 1) for seconds in large.seconds],
        "memory_megabytes_before": round(memory[0] / 2**20, 1),
        "memory_megabytes_at_most": round(max(memory) / 2**20, 1),
        "pairs_beside_it": len(waits),
        "refused": large.refused + small.refused,
        "seconds_of_the_slowest_pair": round(max(waits), 2),
    }


def run_parts(options, server, port, pairs):
    """The figures of all parts, lists by part, and samples of memory by part."""
    figures = {}
    samples = {"during the requests of part 3": [], "at half load": []}

    def add(name, make_task, load=None):
        load = load or Load(port, pairs.make_rows, pairs.is_right)
        of_part = measure(server, load, make_task)
        print(f"{name}: {of_part}", flush=True)
        for figure, value in of_part.items():
            figures.setdefault(name, {}).setdefault(figure, []).append(value)

    clients, seconds = options.clients, options.seconds
    for _ in range(options.rounds):
        add("one at a time", lambda load: load.run_clients(1, seconds))
        add(MANY, lambda load: load.run_clients(clients, seconds))
    rate = statistics.median(figures[MANY]["requests_per_second"]) / 2
    at_half = MOST_CLIENTS_AT_HALF_LOAD
    for _ in range(options.rounds):
        add("half load", lambda load: load.run_rate(at_half, rate, seconds))
    if options.requests:
        requests = options.requests
        add(
            "own answers",
            sampling(
                server,
                samples["during the requests of part 3"],
                lambda load: load.run_clients(clients, requests=requests),
            ),
        )
    for name, count in (*zip(STORM, (clients, 1), strict=True),) * options.rounds:
        large = Load(port, make_large, lambda _, answers: len(answers) == ROWS_OF_STORM)
        seconds = options.storm / options.rounds
        task = functools.partial(Load.run_clients, clients=count, seconds=seconds)
        add(name, task, large)
    if options.minutes:
        add(
            "memory",
            sampling(
                server,
                samples["at half load"],
                lambda load: load.run_rate(at_half, rate, 60 * options.minutes),
            ),
        )
    return figures, samples


def describe_growth(samples):
    """From the second tenth of the samples to the last: the difference of medians."""
    tenth = len(samples) // 10
    if not tenth:
        return None
    early, late = samples[tenth : 2 * tenth], samples[-tenth:]
    return round(statistics.median(late) - statistics.median(early), 1)


if __name__ == "__main__":
    main()
