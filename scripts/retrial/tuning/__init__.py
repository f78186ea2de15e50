"""Tuning: LoRA adapters that learn people's labels (jia2024, sections 4.3 and 5.4)."""
