"""A proof that a restructuring changed nothing: the same commands in two trees, compared.

    make same BASE=COMMIT
    python -m benchmarks.same --base COMMIT [--only demo,boards] [--tree DIR]
    python -m benchmarks.same --record base.json --tree DIR
    python -m benchmarks.same --base base.json

Each tree runs the commands of `scenario.py` in a folder of its own, in processes that find that
tree's package and entry points first; nothing of the package is imported here. Compared are what
the commands print (stdout, stderr, exit code) and every file they write. It ends with 1 when
something differs. Real papers come from VIVAVOCE_DATA, by default ../shared/data; where that folder
is absent the group `sources` is left out and named.

Made equal before anything is compared, and nothing else:

- the paths of the working folder, of the tree and of the data;
- names of log files, which carry a time and a random id, and where they are listed the order;
- the files of a full-text index, which are named at random (what an index finds is compared);
- time stamps of the day of the recording;
- values of the JSON key `seconds`, and what hangs on them in the site that `viva demo` writes: of
  that site only the names of its files are compared. Pages are compared byte by byte in the group
  `boards`, in which both trees build a site from the logs of the base;
- hashes of the package's source code: keys in site.json of a site; and the corpus' folder `cache`,
  which is kept by such a hash and never read by another code;
- Inspect's logs: compared are the task, its arguments and metadata, the scores, and of each sample
  id, epoch, input, target, output, error, metadata and scores.

The version of the package is not made equal, since the manifests of rounds are hashed with it: a
restructuring keeps the version.
"""
