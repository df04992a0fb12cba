# SPDX-License-Identifier: GPL-2.0
"""The interval of a share, computed apart from lbrctl."""
import math


def wilson(share, n, z):
    """(low, high) of a share of n independent samples, at z standard deviations (Wilson 1927)."""
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (max(0, middle - half) if share else 0), (min(1, middle + half) if share < 1 else 1)
