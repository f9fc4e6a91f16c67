"""Solving a flop with every combo on flop and turn, and buckets of strength on rivers."""
