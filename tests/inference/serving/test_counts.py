from dsa.inference.serving.counts import Counts


def test_counts_are_lines_that_prometheus_reads():
    counts = Counts()
    for seconds in (0.005, 0.02, 99):
        counts.add_request("/predict", 200, seconds, 3)
    counts.add_request("/encode", 503, 0, 0)
    counts.add_batch(3)
    counts.add_batch(200)
    lines = counts.write(queue_rows=7)
    for line in (
        "# TYPE dsa_requests_total counter",
        'dsa_requests_total{path="/predict",status="200"} 3',
        'dsa_requests_total{path="/encode",status="503"} 1',
        'dsa_rows_total{path="/predict"} 9',
        "# TYPE dsa_request_seconds histogram",
        'dsa_request_seconds_bucket{path="/predict",le="0.005"} 1',
        'dsa_request_seconds_bucket{path="/predict",le="0.025"} 2',
        'dsa_request_seconds_bucket{path="/predict",le="10"} 2',
        'dsa_request_seconds_bucket{path="/predict",le="+Inf"} 3',
        'dsa_request_seconds_sum{path="/predict"} 99.025',
        'dsa_request_seconds_count{path="/predict"} 3',
        'dsa_batch_rows_bucket{le="4"} 1',
        "dsa_batch_rows_sum 203",
        "dsa_batch_rows_count 2",
        "dsa_queue_rows 7",
    ):
        assert line in lines
    assert len(set(lines)) == len(lines)
