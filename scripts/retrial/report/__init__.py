"""The report: a static site that opens from disk, every number linked to what lies behind it."""
