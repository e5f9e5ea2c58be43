"""Builds wheels that run on older systems and on another processor, and checks them."""
