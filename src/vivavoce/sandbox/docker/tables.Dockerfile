# Python and the packages of tables, for an ordinary user.
FROM python:3.11-slim
RUN pip install --no-cache-dir --only-binary=:all: numpy==2.4.6 pandas==3.1.1 pyarrow==25.0.1 \
    && useradd --no-create-home --uid 65532 sandbox
USER 65532:65532
WORKDIR /work
