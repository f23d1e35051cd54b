# Python and the packages of graph networks, for an ordinary user.
FROM python:3.11-slim
RUN pip install --no-cache-dir --only-binary=:all: numpy==2.4.6 safetensors==0.8.0 torch==2.13.0 \
    && useradd --no-create-home --uid 65532 sandbox
USER 65532:65532
WORKDIR /work
