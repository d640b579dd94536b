"""Workflows as graphs: reading, comparing, identity, patches, the command."""
