# CPU: docker build -t dsa .
#      docker run --rm -v "$PWD:/work" dsa train mini/dsa
# GPU: docker build -t dsa-gpu --build-arg ENVIRONMENT=tensorflow-gpu .
#      docker run --rm --gpus all -v "$PWD:/work" dsa-gpu train mini/dsa
# The GPU environment supports cards from Pascal on; cuDNN 9.10 is the last version that
# supports Pascal (docs/scaling.md). The machine needs NVIDIA's driver and container
# toolkit.
ARG PYTHON=3.12
FROM python:${PYTHON}-slim

ARG ENVIRONMENT=tensorflow
WORKDIR /opt/dsa
COPY constraints constraints
RUN python -m pip install --no-cache-dir --require-hashes -r constraints/${ENVIRONMENT}.txt
COPY . .
RUN python -m pip install --no-cache-dir --no-deps --no-build-isolation .

# Not root: `--user "$(id -u):$(id -g)"` writes files as you.
RUN useradd --create-home dsa
USER dsa
ENV DSA_CACHE=/tmp/dsa MPLCONFIGDIR=/tmp/matplotlib
WORKDIR /work
ENTRYPOINT ["dsa"]
CMD ["--help"]
