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
4. half of the load for `--minutes`: the server's memory, sampled.

`client_cores` and `server_cores` say how many cores the two worked on: where their sum
is the number of the machine's cores, the client takes from the server.
"""

import asyncio
import contextlib
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

BEGINNINGS = ("a man", "a woman", "two men", "the dog", "a big dog", "a cat", "nobody")
ENDS = ("sleeps", "runs", "eats", "walks in the park", "plays a guitar", "is awake")
SENTENCES = [f"{beginning} {end} ." for beginning in BEGINNINGS for end in ENDS]
DIFFERENCE = 1e-4  # of probabilities
SECONDS_BETWEEN_SAMPLES = 5
MOST_CLIENTS_AT_HALF_LOAD = 256


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
    parser.add_argument("--clients", type=int, default=64)
    options = parser.parse_args()
    cores = machine_load.refuse_load(options.anyway)
    with serve(options.run) as (server, port):
        pairs = Pairs(port)
        figures, samples = run_parts(options, server, port, pairs)
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
        memory_megabytes=samples,
        memory_growth_megabytes=describe_growth(samples),
    )


MANY = "many at once"


def run_parts(options, server, port, pairs):
    """The figures of all parts, lists by part, and samples of memory."""
    figures = {}

    def add(name, make_task):
        load = Load(port, pairs.make_rows, pairs.is_right)
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
        add("own answers", lambda load: load.run_clients(clients, requests=requests))
    samples = []

    async def run_and_sample(load):
        task = load.run_rate(at_half, rate, 60 * options.minutes)
        samples.extend(await sample_memory(server, asyncio.create_task(task)))

    if options.minutes:
        add("memory", run_and_sample)
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
