"""Slow twins of how other solvers build trees: every path of a tree, in our words.

They follow the published rules of TexasSolver (`GameTree`) and of postflop-solver (`ActionTree`),
in chips, and share no code with `runout.trees`.
"""

import math

FLOP, TURN, RIVER = range(3)


def half_up(number):
    return math.floor(number + 0.5)


def walk(street, stack, offers):
    """The paths of a tree; ``offers(street, put_in, base, player, num_bets, is_donk)`` are amounts.

    An amount is what the player has then put in since the root, above what the opponent has.
    """
    paths = set()

    def visit(street, put_in, base, player, num_bets, is_donk, path):
        paths.add(":".join(path))
        mine, theirs = put_in[player], put_in[1 - player]
        if theirs > mine:
            paths.add(":".join([*path, "f"]))
            after = [theirs, theirs]
            finish(street, after, [*path, "c"], is_donk=player == 0)
        elif player == 0:
            visit(street, put_in, base, 1, 0, False, [*path, "x"])
        else:
            finish(street, put_in, [*path, "x"], is_donk=False)
        for amount in offers(street, put_in, base, player, num_bets, is_donk):
            after = list(put_in)
            after[player] = amount
            word = "a" if amount == stack else f"{'br'[num_bets > 0]}{amount - base}"
            visit(street, after, base, 1 - player, num_bets + 1, False, [*path, word])

    def finish(street, put_in, path, is_donk):
        if street == RIVER or put_in[0] == stack:
            paths.add(":".join(path))
        else:
            visit(street + 1, put_in, put_in[0], 0, 0, is_donk, path)

    visit(street, [0, 0], 0, 0, 0, False, [])
    return paths


def texas_paths(pot, stack, menus, *, street=FLOP, threshold=0.67, raise_limit=4):
    """``menus[kind][street][player]`` are percentages; all-in is offered everywhere."""

    def offers(street, put_in, base, player, num_bets, is_donk):
        if num_bets >= raise_limit:
            return []
        kind = "raise" if num_bets else "donk" if is_donk else "bet"
        gap, left = put_in[1 - player] - put_in[player], stack - put_in[player]
        added = []
        for percent in menus[kind][street][player]:
            amount = half_up(percent / 100 * (pot + 2 * max(put_in))) + gap
            if amount + put_in[player] + pot / 2 > threshold * (stack + pot / 2):
                amount = left
            added.append(min(amount, left))
        added.append(left)
        return {put_in[player] + a for a in added if a > gap and a >= 2 * gap}

    return walk(street, stack, offers)


def postflop_paths(pot, stack, menus, *, street=FLOP, add=1.5, force=0.15, merge=0.1):
    """``menus[kind][street][player]`` are texts: ``50%``, ``2.5x``, ``20c``, ``e`` or ``a``."""

    def offers(street, put_in, base, player, num_bets, is_donk):
        if put_in[1 - player] == stack:
            return []
        before, most = put_in[1 - player] - base, stack - base
        grown = pot + 2 * put_in[1 - player]
        wanted = []
        has_donks = is_donk and "donk" in menus
        for size in menus["raise" if num_bets else "donk" if has_donks else "bet"][street][player]:
            if size == "a":
                wanted.append(most)
            elif size == "e":
                count = max(3 - street - max(num_bets - 1, 0), 1)
                ratio = ((2 * (most - before) / grown + 1) ** (1 / count) - 1) / 2
                wanted.append(before + half_up(grown * ratio))
            elif size.endswith("x"):
                wanted.append(half_up(before * float(size[:-1])))
            elif size.endswith("c"):
                wanted.append(before + int(size[:-1]))
            else:
                wanted.append(before + half_up(grown * float(size[:-1]) / 100))
        step = put_in[1 - player] - put_in[player]
        least = min(max(before + step, 1), most)
        amounts = set()
        for amount in wanted:
            clamped = min(max(amount, least), most)
            threshold = half_up((grown + 2 * (clamped - before)) * force)
            amounts.add(most if most <= clamped + threshold else clamped)
        if most <= before + half_up(grown * add):
            amounts.add(most)
        kept = []
        for amount in sorted(amounts, reverse=True):
            ratio = (amount - before) / grown
            last = (kept[-1] - before) / grown if kept else math.inf
            if not kept or ratio < (last - merge) / (1 + merge) * (1 - 1e-12):
                kept.append(amount)
        return {base + amount for amount in kept}

    return walk(street, stack, offers)
