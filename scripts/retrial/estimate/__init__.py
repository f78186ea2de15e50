"""What a run will take, before anything runs: prompts, tokens, downloads, memory, hours."""
