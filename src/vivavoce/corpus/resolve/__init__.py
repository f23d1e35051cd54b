"""Reference resolution as joins of keys: every reference of a corpus, a shard at a time.

It finds what `PaperIndex` finds, with memory bounded by the shard and not by the corpus:

1. `paper_facts` derives from papers all keys under which one may be found (a map over shards);
2. `build_index` sorts the keys of all papers into files (once a build);
3. `resolve_shard` joins the keys of a shard's references with them and weighs the few candidates.
"""
