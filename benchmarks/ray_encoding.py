"""Encoding rate of a Ray cluster, compared with local processes.

    DSA_DATA=<corpora> python benchmarks/ray_encoding.py --run RUN [--sentences N]

Requires the extra `cluster`. Encodes the sentences of `bulk_encoding.py`, in the same
shards, with `dsa encode --shard-rows`. Sides: `local`, two workers; `ray`, a cluster of
a head and two nodes with one core each, all on this machine. The rate is measured from
the first finished shards on, which excludes the start-up. The memory of `ray` is the
memory of the command only, without the cluster.
"""

import os
from pathlib import Path

import measuring
from bulk_encoding import compare, encode_in_bulk

SENTENCES = 120_000
SHARD_ROWS = 5_000
WORKERS = 2
HEAD = "127.0.0.2"
NODES = ("127.0.0.3", "127.0.0.4")


def encode_on_cluster(options):
    """Starts a cluster and encodes the sentences on it."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["PYTHONPATH"] = str(Path.cwd())  # for the import in workers
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        cluster.add_node(num_cpus=0, node_ip_address=HEAD, include_dashboard=False)
        for address in NODES:
            cluster.add_node(num_cpus=1, node_ip_address=address)
        cluster.wait_for_nodes()
        executor = ["--executor", "ray", "--address", cluster.address]
        executor += ["--cores", "1", "--jobs", str(WORKERS)]
        encode_in_bulk(options.run, options.file, executor, options.shard_rows)
    finally:
        cluster.shutdown()


def compare_rates(figures):
    rates = [figures[name]["sentences_per_second"] for name in ("ray", "local")]
    return {"ratio_of_sentences_per_second": measuring.median_ratio(*rates)}


def main():
    parser = measuring.make_parser(__doc__, rounds=2)
    parser.add_argument("--run", type=Path, required=True, help="run of an encoder")
    parser.add_argument("--sentences", type=int, default=SENTENCES, metavar="N")
    parser.add_argument("--shard-rows", type=int, default=SHARD_ROWS, metavar="N")
    parser.add_argument("file", nargs="?", type=Path, help="(for --side)")
    options = parser.parse_args()
    if options.side:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if options.side == "ray":
        return encode_on_cluster(options)
    if options.side:
        executor = ["--workers", str(WORKERS), "--cores", "1"]
        return encode_in_bulk(options.run, options.file, executor, options.shard_rows)
    further = ["--run", str(options.run), "--shard-rows", str(options.shard_rows)]
    facts = {"shard_rows": options.shard_rows}
    compare(__file__, options, ("local", "ray"), further, facts, compare_rates)


if __name__ == "__main__":
    main()
