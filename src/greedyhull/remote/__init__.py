"""Objectives over shards, and the executors that compute them."""


