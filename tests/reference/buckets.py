"""Slow, obvious twins of the kernels between hands and buckets."""

import numpy as np


def expand_buckets(by_bucket, bucket_by_hand):
    """Returns what each hand's bucket has, 0 for hands without one."""
    columns = [
        by_bucket[:, bucket] if bucket >= 0 else np.zeros(len(by_bucket))
        for bucket in bucket_by_hand
    ]
    return np.stack(columns, axis=1)


def collect_buckets(by_hand, bucket_by_hand, weight, num_buckets):
    """Returns the weighted sums of the hands of each bucket."""
    sums = np.zeros((len(by_hand), num_buckets))
    for hand, bucket in enumerate(bucket_by_hand):
        if bucket >= 0:
            sums[:, bucket] += by_hand[:, hand].astype(np.float64) * weight[hand]
    return sums


def match(weights):
    """Returns probabilities ``[actions, B]`` in proportion to the positive part of weights."""
    positive = np.maximum(weights, 0.0)
    total = positive.sum(axis=0)
    equal = np.full_like(positive, 1.0 / len(weights))
    return np.where(total > 0.0, positive / np.where(total > 0.0, total, 1.0), equal)


def match_decisions(first_action, num_actions, weights):
    """Returns the probabilities of all decisions."""
    parts = [weights[f : f + n] for f, n in zip(first_action, num_actions, strict=True)]
    return np.concatenate([match(part) for part in parts])


def movement(first_action, num_actions, before, after, reached):
    """Returns how much probabilities changed, weighted by how decisions were reached."""
    moved = 0.0
    for first, count in zip(first_action, num_actions, strict=True):
        rows = slice(first, first + count)
        change = np.abs(after[rows] - before[rows]).sum(axis=0)
        moved += (change * reached[rows].sum(axis=0)).sum()
    return moved
