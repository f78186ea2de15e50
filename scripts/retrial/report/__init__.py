"""The report: a static site that opens from disk, with every number linked to what lies behind it."""
