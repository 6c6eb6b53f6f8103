"""Throughput, response times and memory of `dsa serve`.

    python benchmarks/serving.py [--out results/benchmarks/serving.json]
    python benchmarks/serving.py --rounds 1 --seconds 3 --requests 2000 --minutes 0.5

Server and client are two processes on this machine and share its cores. Parts:

1. one client, then many clients, alternated `--rounds` times. Each client sends a pair,
   waits for the answer and sends the next pair;
2. a fixed rate, half of the throughput of the many clients. Response times are measured
   from the time at which a request was due;
3. `--requests` requests of many clients. Each contains a unique word, and the answer
   must list this word as unknown and contain the probabilities of the pair;
4. half of the throughput for `--minutes`, with samples of the server's memory;
5. the most expensive request within the limits, a full body of pairs of the longest
   texts: its time, the peak memory of the server, and the response time of a second
   client, whose requests wait for it.

`client_cores` and `server_cores` are the numbers of cores used by the two processes. If
their sum equals the number of cores of the machine, the client slows the server down.
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
from pathlib import Path

import machine_load
import measuring
import psutil
from http_client import Load

from dsa.inference.serving.limits import Limits

BEGINNINGS = ("a man", "a woman", "two men", "the dog", "a big dog", "a cat", "nobody")
ENDS = ("sleeps", "runs", "eats", "walks in the park", "plays a guitar", "is awake")
SENTENCES = [f"{beginning} {end} ." for beginning in BEGINNINGS for end in ENDS]
TOLERANCE = 1e-4  # of probabilities
SECONDS_BETWEEN_SAMPLES = 5
MAX_CLIENTS_AT_HALF_LOAD = 256
ONE, MANY = "one at a time", "many at once"


@contextlib.contextmanager
def serve(run):
    """Starts a server. Yields its `psutil.Process` and its port."""
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
    """Pairs that each contain a unique word, with their expected answers.

    Args:
        port: port of the server, which is requested once per pair by a single client.
    """

    def __init__(self, port):
        self.answers = {}
        for number in range(len(SENTENCES)):
            body = json.dumps({"rows": self.make_rows(number)}).encode()
            url = f"http://127.0.0.1:{port}/predict"
            with urllib.request.urlopen(url, body) as response:
                (self.answers[number],) = json.load(response)["answers"]

    def make_rows(self, number):
        position = number % len(SENTENCES)
        hypothesis = SENTENCES[-1 - 5 * position % len(SENTENCES)]
        return [[f"word{number} {SENTENCES[position]}", hypothesis]]

    def is_correct(self, number, answers):
        (answer,) = answers
        expected = self.answers[number % len(SENTENCES)]
        unknown = [f"word{number}", *expected["unknown"][1:]]
        return answer["unknown"] == unknown and all(
            math.isclose(answer["probabilities"][label], share, abs_tol=TOLERANCE)
            for label, share in expected["probabilities"].items()
        )


def measure(server, load, run_load):
    """Runs a load and returns its figures.

    Args:
        server: the `psutil.Process` of the server.
        load: a new `Load`.
        run_load: coroutine function of the load.
    """
    before, began = _cpu_seconds(server), time.perf_counter()
    asyncio.run(run_load(load))
    wall = time.perf_counter() - began
    client_cores, server_cores = (
        round((end - start) / wall, 2)
        for end, start in zip(_cpu_seconds(server), before, strict=True)
    )
    return {
        "requests_per_second": round(len(load.seconds) / wall, 1),
        **describe_times(load.seconds),
        "refused": load.rejected,
        "lost": load.lost,
        "exchanged": load.wrong,
        "client_cores": client_cores,
        "server_cores": server_cores,
    }


def describe_times(seconds):
    """Returns the median and high percentiles in milliseconds."""
    ordered = sorted(seconds)
    figures = {}
    for percent in (50, 99, 99.9):
        rank = math.ceil(len(ordered) * percent / 100)
        figures[f"p{percent:g}_ms"] = round(1000 * ordered[rank - 1], 2)
    return figures


def _cpu_seconds(server):
    times = server.cpu_times()
    return time.process_time(), times.user + times.system


def with_memory_samples(server, samples, run_load):
    """Wraps a coroutine function of a load. Samples of the server's memory, in
    megabytes, are appended to `samples`."""

    async def run(load):
        task = asyncio.create_task(run_load(load))
        while not task.done():
            samples.append(round(server.memory_info().rss / 2**20, 1))
            await asyncio.wait([task], timeout=SECONDS_BETWEEN_SAMPLES)
        task.result()

    return run


def main():
    parser = measuring.make_parser(__doc__)
    parser.add_argument("--run", default="mini", help="run folder or release")
    parser.add_argument(
        "--seconds", type=float, default=10, help="duration of each round"
    )
    parser.add_argument(
        "--requests", type=int, default=100_000, help="number of requests of part 3"
    )
    parser.add_argument("--minutes", type=float, default=10, help="duration of part 4")
    parser.add_argument("--clients", type=int, default=64)
    options = parser.parse_args()
    busy_cores = machine_load.refuse_load(options.anyway)
    with serve(options.run) as (server, port):
        figures, samples = run_parts(options, server, port)
        most_expensive = measure_most_expensive_request(server, port)
        print(f"most expensive request: {most_expensive}", flush=True)
    many, one = (figures[name]["requests_per_second"] for name in (MANY, ONE))
    measuring.report(
        __file__,
        options,
        busy_cores,
        figures,
        clients=options.clients,
        throughput_of_many_to_one=measuring.median_ratio(many, one),
        dearest_request=most_expensive,
        memory_megabytes=samples,
        memory_growth_megabytes=compute_growth(samples["at half load"]),
    )


def run_parts(options, server, port):
    """Runs parts 1 to 4. Returns the figures and the memory samples by part."""
    pairs = Pairs(port)
    figures = {}
    samples = {"during the requests of part 3": [], "at half load": []}

    def add(name, run_load):
        load = Load(port, pairs.make_rows, pairs.is_correct)
        new_figures = measure(server, load, run_load)
        print(f"{name}: {new_figures}", flush=True)
        for figure, value in new_figures.items():
            figures.setdefault(name, {}).setdefault(figure, []).append(value)

    clients, seconds = options.clients, options.seconds
    for _ in range(options.rounds):
        add(ONE, lambda load: load.run_clients(1, seconds))
        add(MANY, lambda load: load.run_clients(clients, seconds))
    rate = statistics.median(figures[MANY]["requests_per_second"]) / 2
    max_clients = MAX_CLIENTS_AT_HALF_LOAD
    for _ in range(options.rounds):
        add("half load", lambda load: load.run_rate(max_clients, rate, seconds))
    if options.requests:
        run_load = with_memory_samples(
            server,
            samples["during the requests of part 3"],
            lambda load: load.run_clients(clients, requests=options.requests),
        )
        add("own answers", run_load)
    if options.minutes:
        run_load = with_memory_samples(
            server,
            samples["at half load"],
            lambda load: load.run_rate(max_clients, rate, 60 * options.minutes),
        )
        add("memory", run_load)
    return figures, samples


def measure_most_expensive_request(server, port):
    """Returns the figures of part 5."""
    limits = Limits()
    words = "a " * (limits.text_characters // 2 - 10)
    count = limits.body_bytes // (2 * (len(words) + 20))
    rows = [[f"{words}first{row}", f"{words}other{row}"] for row in range(count)]
    memory_before = server.memory_info().rss
    waits = []

    async def run():
        large = Load(port, lambda _: rows, lambda _, answers: len(answers) == count)
        small = Load(port, lambda _: [SENTENCES[:2]], lambda *_: True)
        large_request = asyncio.create_task(large.run_clients(1, requests=1))
        while not large_request.done():
            began = time.perf_counter()
            await small.run_clients(1, requests=1)
            waits.append(time.perf_counter() - began)
            await asyncio.sleep(0.02)
        await large_request
        return large, small

    large, small = asyncio.run(run())
    return {
        "rows": count,
        "words": 2 * count * len(words.split()),
        "seconds": [round(seconds, 1) for seconds in large.seconds],
        "memory_megabytes_before": round(memory_before / 2**20, 1),
        "memory_megabytes_at_most": round(read_peak_memory(server.pid) / 2**20, 1),
        "pairs_beside_it": len(waits),
        "refused": large.rejected + small.rejected,
        "seconds_of_the_slowest_pair": round(max(waits), 2),
    }


def read_peak_memory(process_id):
    """Returns the peak memory of a process in bytes, on Linux."""
    status = Path(f"/proc/{process_id}/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


def compute_growth(samples):
    """Returns the median of the last tenth of the samples minus the median of the
    second tenth, or `None` for fewer than ten samples."""
    tenth = len(samples) // 10
    if not tenth:
        return None
    early, late = samples[tenth : 2 * tenth], samples[-tenth:]
    return round(statistics.median(late) - statistics.median(early), 1)


if __name__ == "__main__":
    main()
