"""Asking a judge over HTTP, by the protocol that OpenAI-compatible servers share."""
