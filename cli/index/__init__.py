"""Search by meaning: embedding, the vectors in `cache.db`, the index made from them, and the search over it.

What other commands use of it (nothing heavy is imported before one of them is called):

- `semantic.embed(settings, texts)` gives one row of float32 for each text, or None where no model can be had;
- `semantic.open_search(settings)` gives a `Search` or the reason why there is none; `Search.find(views, query, filters, limit)`
  gives `Match` rows, each a chunk with its session and its similarity. A process that answers often keeps the `Search`.
"""
