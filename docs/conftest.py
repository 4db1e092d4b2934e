"""The examples of the pages are tests; what builds the pages is not."""

collect_ignore_glob = ["*.py", "_build", "_ext", "gallery", "reference/generated"]
