"""The stage that puts every source file on disk, checked byte for byte."""
