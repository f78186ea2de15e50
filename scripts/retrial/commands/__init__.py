"""What the commands of `retrial` do, imported only when one of them runs."""
