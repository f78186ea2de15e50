"""Stories: prompts with people's stories, a generator that learns from them, and its stories."""
