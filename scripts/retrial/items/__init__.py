"""Items to be judged and people's ratings of them, read from the sources as published."""
