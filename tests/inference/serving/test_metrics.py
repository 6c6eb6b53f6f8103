"""What the service counts: `make test-serve`."""

import pytest

pytest.importorskip("prometheus_client", reason="the extra `serve` is not installed")

import prometheus_client

from dsa.inference.serving.application import Metrics


def test_metrics_are_lines_that_prometheus_reads():
    metrics = Metrics(lambda: 7)
    for seconds in (0.005, 0.02, 99):
        metrics.add_request("/predict", 200, seconds, 3)
    metrics.add_request("/encode", 503, 0, 0)
    metrics.batches.observe(3)
    metrics.batches.observe(200)
    lines = prometheus_client.generate_latest(metrics.registry).decode().splitlines()
    for line in (
        "# TYPE dsa_requests_total counter",
        'dsa_requests_total{path="/predict",status="200"} 3.0',
        'dsa_requests_total{path="/encode",status="503"} 1.0',
        'dsa_rows_total{path="/predict"} 9.0',
        "# TYPE dsa_request_seconds histogram",
        'dsa_request_seconds_bucket{le="0.005",path="/predict"} 1.0',
        'dsa_request_seconds_bucket{le="0.025",path="/predict"} 2.0',
        'dsa_request_seconds_bucket{le="10.0",path="/predict"} 2.0',
        'dsa_request_seconds_bucket{le="+Inf",path="/predict"} 3.0',
        'dsa_request_seconds_sum{path="/predict"} 99.025',
        'dsa_request_seconds_count{path="/predict"} 3.0',
        'dsa_batch_rows_bucket{le="4.0"} 1.0',
        "dsa_batch_rows_sum 203.0",
        "dsa_batch_rows_count 2.0",
        "dsa_queue_rows 7.0",
    ):
        assert line in lines
    assert len(set(lines)) == len(lines)


def test_two_services_count_for_themselves():
    first, second = Metrics(lambda: 0), Metrics(lambda: 0)
    first.batches.observe(3)
    text = prometheus_client.generate_latest(second.registry).decode()
    assert "dsa_batch_rows_count 0.0" in text
