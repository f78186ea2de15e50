"""Rating forms: what people are asked, in the very words that judges get."""
