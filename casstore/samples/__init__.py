"""A workflow to try casstore with, in both of ComfyUI's formats."""
