"""One spot: a board, two ranges, the money and the betting, and how well it is to be solved."""

import math
from typing import Annotated, Any, Self

from pydantic import Field, PlainSerializer, PlainValidator, model_validator

from runout.cards.deck import FLOP_SIZE, disjoint_combos, format_cards, live_combos, parse_board
from runout.cards.ranges import HandRange, format_range, parse_range
from runout.cfr.schedules import DiscountSchedule, StoppingRule
from runout.config.postflop import (
    KeepResume,
    MergesSuits,
    RiverBlockers,
    RiverBuckets,
    Rivers,
    TablePrecision,
)
from runout.config.section import About, ConfigSection, format_yaml, problem_at
from runout.config.values import (
    ALLOWED_VARIANTS,
    MOST_RAISES,
    PLAYER_KEYS,
    STREET_KEYS,
    NodeLock,
    SizeChoice,
    SizeTable,
    all_sizes,
    digest_variant,
    plain_locks,
    plain_sizes,
    plain_target,
    plain_variant,
    read_board,
    read_locks,
    read_range,
    read_spot_bets,
    read_spot_donks,
    read_spot_raises,
    read_target,
    read_variant,
    schedule_of,
    sizes_at,
)
from runout.trees.betting import BettingRules, SizeMenu, Stakes, Street
from runout.trees.sizes import ChipAmount, format_bet_size, parse_bet_size
from runout.trees.tree import PostflopTree

# Where a spot comes from, if a preflop solution has led to it.


_Amount = Annotated[float, Field(allow_inf_nan=False)]


class SpotOrigin(ConfigSection):
    """The node of a run that a spot was taken from, and what the run counted with there."""

    run: Annotated[str, About("The directory of the run.", "a path such as runs/hu_25bb")]
    node: Annotated[str, About("The actions before the flop.", "a path such as r2-c")]
    oop_ev: Annotated[
        _Amount,
        About("What OOP gets of the pot there, the mean over flops.", "a number", unit="chips"),
    ]
    ip_ev: Annotated[
        _Amount,
        About("What IP gets of the pot there, the mean over flops.", "a number", unit="chips"),
    ]

    def describe(self) -> str:
        """Returns where the spot comes from and what was counted with, in one line."""
        return (
            f"from {self.run}, node {self.node}, where OOP gets {self.oop_ev:.1f} and IP "
            f"{self.ip_ev:.1f} chips on average over flops"
        )


# One spot: a board, two ranges, the money and the betting, and how well it is to be solved.


_SIZE_KEYS = ("bet_sizes", "raise_sizes", "donk_sizes")
_SIZES = "a list or text of sizes such as 33%, 2.5x, 100c, e, 2e, 3e200% and a, or a mapping"

# Far from the limits of float32, in which pots are played.
_MIN_CHIPS, _MAX_CHIPS = 1e-3, 1e9
_CHIPS = "a positive number from 0.001 to 1,000,000,000"
_Chips = Annotated[float, Field(ge=_MIN_CHIPS, le=_MAX_CHIPS, allow_inf_nan=False)]
_Pots = Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class SpotConfig(ConfigSection):
    """Everything that the solve of a spot is told.

    Constructed in Python it takes the same keys and forms as in YAML and raises pydantic's
    `ValidationError`; `ConfigSection.parse` raises `ConfigError` with the path in the file.
    """

    board: Annotated[
        str,
        PlainValidator(read_board),
        About("The cards on the table: flop, turn or river.", "3 to 5 cards such as QsJh2h"),
    ]
    oop: Annotated[
        str,
        PlainValidator(read_range),
        About("The range of the player who acts first.", "a range such as 22+,AKs:0.5"),
    ]
    ip: Annotated[
        str,
        PlainValidator(read_range),
        About("The range of the player in position.", "a range such as 22+,AKs:0.5"),
    ]
    pot: Annotated[
        _Chips,
        About(
            "What is in the middle. Bets are whole chips; hundredths if the pot or the stack has "
            "decimals, as in big blinds.",
            _CHIPS,
            unit="chips",
        ),
    ]
    stack: Annotated[
        _Chips,
        About("What the shorter player has left.", _CHIPS, unit="chips"),
    ]
    bet_sizes: Annotated[
        SizeChoice,
        PlainValidator(read_spot_bets),
        PlainSerializer(plain_sizes),
        About(
            "Sizes of a first bet: for everybody, or a mapping by street, by player, or by both "
            "(see below). An empty list never bets.",
            _SIZES,
            unit="`%` of the pot, `c` chips",
        ),
    ] = ("33%", "75%")
    raise_sizes: Annotated[
        SizeChoice,
        PlainValidator(read_spot_raises),
        PlainSerializer(plain_sizes),
        About(
            "Sizes of a raise, in the same forms.",
            _SIZES,
            unit="`%` of the pot after calling, `x` the bet, `c` chips",
        ),
    ] = ("2.5x",)
    donk_sizes: Annotated[
        SizeChoice | None,
        PlainValidator(read_spot_donks),
        PlainSerializer(plain_sizes),
        About(
            "Sizes with which OOP bets into the player whose bet it called on the street before; "
            "`null` means the bet sizes, an empty list never.",
            f"{_SIZES}, or null",
            unit="as `bet_sizes`",
        ),
    ] = None
    max_raises_per_street: Annotated[
        Annotated[int, Field(ge=0, le=MOST_RAISES)] | None,
        About(
            "Raises after the first bet of a street, all-in raises included; `null` is no limit.",
            f"a whole number from 0 to {MOST_RAISES}, or null",
            unit="raises",
        ),
    ] = None
    add_all_in_threshold: Annotated[
        Annotated[float, Field(ge=0.0)],
        About(
            "All-in is offered as well where it is at most this many pots; `.inf` is always, 0 "
            "only where a size says so.",
            "0, a positive number, or .inf",
            unit="pots after calling",
        ),
    ] = 1.5
    force_all_in_threshold: Annotated[
        _Pots,
        About(
            "A bet that would leave at most this much behind, measured by the pot after a call, "
            "is all-in instead.",
            "0 or a positive number",
            unit="pots after the call",
        ),
    ] = 0.15
    merging_threshold: Annotated[
        _Pots,
        About(
            "Of two sizes that differ by at most this, the larger stays; 0 merges equal ones only.",
            "0 or a positive number",
            unit="pots with the smaller size in",
        ),
    ] = 0.1
    rake_rate: Annotated[
        float,
        Field(ge=0.0, le=1.0),
        About(
            "What the house takes of every pot that is won. A raked game is not zero-sum.",
            "a number from 0 to 1",
            unit="fraction of the pot",
        ),
    ] = 0.0
    rake_cap: Annotated[
        _Pots | None,
        About(
            "The most that the house takes; `null` is no cap.",
            "0, a positive number, or null",
            unit="chips",
        ),
    ] = None
    cfr_variant: Annotated[
        str | DiscountSchedule,
        PlainValidator(read_variant),
        PlainSerializer(plain_variant),
        About(
            "How iterations are weighted: a name, or the three exponents of discounted CFR.",
            ALLOWED_VARIANTS,
        ),
    ] = "dcfr-spot"
    target: Annotated[
        float | None,
        PlainValidator(read_target),
        PlainSerializer(plain_target),
        About(
            "The solve ends when its exploitability is at most this; `null` is off.",
            "a percentage above 0% and up to 100%, or null",
            unit="`%` of the pot",
        ),
    ] = 0.005
    max_iterations: Annotated[
        int,
        Field(ge=1),
        About(
            "The solve ends after so many iterations at the latest.",
            "a whole number from 1 up",
            unit="iterations",
        ),
    ] = 10_000
    max_seconds: Annotated[
        _Chips | None,
        About(
            "The solve ends after this time, counted anew when it is resumed; `null` is off.",
            "a positive number, or null",
            unit="seconds",
        ),
    ] = None
    checkpoint_minutes: Annotated[
        float,
        Field(ge=0.0, allow_inf_nan=False),
        About(
            "The solve is saved this often while it goes on, so that a power cut costs minutes; 0 "
            "saves it at its end only.",
            "0 or a positive number",
            unit="minutes",
        ),
    ] = 5.0
    keep_resume: KeepResume = True
    precision: TablePrecision = 32
    rivers: Rivers = "exact"
    river_buckets: RiverBuckets = 48
    river_blockers: RiverBlockers = "auto"
    merges_suits: MergesSuits = True
    locks: Annotated[
        tuple[NodeLock, ...],
        PlainValidator(read_locks),
        PlainSerializer(plain_locks),
        About(
            "Decisions whose strategy is given and not learned: a list of `node` (a path) and "
            "`strategy` (see below).",
            "a list of mappings with node and strategy",
        ),
    ] = ()
    origin: Annotated[
        SpotOrigin | None,
        About("Where the spot was taken from; `solve-spot --from` sets it.", "a mapping, or null"),
    ] = None

    @model_validator(mode="after")
    def _has_hands_that_can_meet(self) -> Self:
        live = live_combos(self.board_cards)
        held = []
        for key, hand_range in zip(PLAYER_KEYS, self.ranges(), strict=True):
            held.append(live[hand_range.weights[live] > 0.0])
            if not len(held[-1]):
                problem = f"no hand of the range avoids the board {self.board}"
                raise problem_at(f".{key}", problem)
        if not disjoint_combos(*held).any():
            raise problem_at(".ip", "every hand of the range shares a card with every hand of oop")
        if self.rivers == "compact" and self.first_street != Street.FLOP:
            raise problem_at(".rivers", f"compact needs a flop, the board is {self.board}")
        return self

    @model_validator(mode="after")
    def _has_sizes_that_can_be_bet(self) -> Self:
        for key in _SIZE_KEYS:
            choice = getattr(self, key)
            if isinstance(choice, SizeTable) and set(choice) & set(STREET_KEYS):
                for street in self._streets():
                    if street not in choice:
                        raise problem_at(
                            f".{key}", f"{street} is missing, give every street from the board on"
                        )
            for path, text in all_sizes(choice):
                size = parse_bet_size(text, for_raises=True)
                if isinstance(size, ChipAmount) and size.chips > self.stack:
                    problem = f"{text!r} cannot be bet, the stack is {self.stack:g}"
                    raise problem_at(f".{key}{path}", problem)
        return self

    @property
    def board_cards(self) -> tuple[int, ...]:
        """The cards on the table."""
        return parse_board(self.board)

    @property
    def first_street(self) -> Street:
        """The street of the board."""
        return Street(len(self.board_cards) - FLOP_SIZE)

    def ranges(self) -> tuple[HandRange, HandRange]:
        """Returns the ranges of OOP and IP, with hands that the board blocks."""
        return parse_range(self.oop), parse_range(self.ip)

    def betting_rules(self) -> BettingRules:
        """Returns the rules that the tree is built with."""
        first = self._streets()[0]
        # Streets before the board have no decisions; any sizes will do.
        streets = [s if s in self._streets() else first for s in STREET_KEYS]
        return BettingRules(
            menus=tuple((self._menu(s, "oop"), self._menu(s, "ip")) for s in streets),
            max_raises_per_street=self.max_raises_per_street,
            add_all_in_threshold=self.add_all_in_threshold,
            force_all_in_threshold=self.force_all_in_threshold,
            merging_threshold=self.merging_threshold,
        )

    def tree(self) -> PostflopTree:
        """Builds the betting tree.

        Raises:
            TreeError: if it is too large.
        """
        rules = self.betting_rules()
        return PostflopTree.build(rules, Stakes.in_chips(self.pot, self.stack), self.first_street)

    def schedule(self) -> DiscountSchedule:
        """Returns how iterations are weighted."""
        return schedule_of(self.cfr_variant)

    def stopping_rule(self) -> StoppingRule:
        """Returns when the solve ends; its values are in chips."""
        return StoppingRule(
            max_iterations=self.max_iterations,
            max_seconds=self.max_seconds,
            exploitability=None if self.target is None else self.target * self.pot,
        )

    def to_yaml(self) -> str:
        """Returns a config file that reads back as the same config."""
        return format_yaml(self.to_mapping())

    def game_mapping(self) -> dict[str, Any]:
        """Returns everything that decides what an iteration does, and not when they end.

        Two configs that mean the same have the same mapping, so a solve can go on under either.
        """
        cards = self.board_cards
        mapping: dict[str, Any] = {
            "board": format_cards(sorted(cards)),
            **{
                key: format_range(hand_range.without_cards(cards))
                for key, hand_range in zip(PLAYER_KEYS, self.ranges(), strict=True)
            },
            "sizes": self._plain_menus(),
            "rake_cap": None if self.rake_rate == 0.0 else self.rake_cap,
            "cfr_variant": digest_variant(self.cfr_variant),
            "locks": plain_locks(self.locks),
        }
        add_all_in = self.add_all_in_threshold
        mapping["add_all_in_threshold"] = add_all_in if math.isfinite(add_all_in) else ".inf"
        for key in (
            "pot",
            "stack",
            "max_raises_per_street",
            "force_all_in_threshold",
            "merging_threshold",
            "rake_rate",
            "precision",
            "merges_suits",
        ):
            mapping[key] = getattr(self, key)
        if self.rivers == "compact":
            mapping["rivers"] = [self.rivers, self.river_buckets, self.river_blockers]
        return mapping

    def _streets(self) -> tuple[str, ...]:
        return STREET_KEYS[self.first_street :]

    def _menu(self, street: str, player: str) -> SizeMenu:
        donks = self.donk_sizes
        return SizeMenu(
            bets=sizes_at(self.bet_sizes, street, player, for_raises=False),
            raises=sizes_at(self.raise_sizes, street, player, for_raises=True),
            donks=None if donks is None else sizes_at(donks, street, player, for_raises=False),
        )

    def _plain_menus(self) -> dict[str, dict[str, list[str]]]:
        menus = {}
        for street in self._streets():
            for player in PLAYER_KEYS:
                menu = self._menu(street, player)
                donks = menu.bets if menu.donks is None else menu.donks
                lists = zip(_SIZE_KEYS, (menu.bets, menu.raises, donks), strict=True)
                # A menu is a set: neither order nor repetition changes a tree.
                menus[f"{street}.{player}"] = {
                    key: sorted({format_bet_size(size) for size in sizes}) for key, sizes in lists
                }
        return menus
