"""All 1,755 flops up to suits against a weighted subset of 25: the share of each texture.

Prints:

    rainbow   39.8%  40.0%
    two-tone  55.1%  55.0%
    monotone   5.2%   4.9%
    most weight in the subset: AsQs5h (two-tone, unpaired)
"""

import runout

everything, subset = runout.flops(), runout.flops(subset=25)
for suits in ("rainbow", "two-tone", "monotone"):
    exact = sum(flop.weight for flop in everything if flop.suits == suits)
    close = sum(flop.weight for flop in subset if flop.suits == suits)
    print(f"{suits:8}  {exact:5.1%}  {close:5.1%}")
first = max(subset, key=lambda flop: flop.weight)
print(f"most weight in the subset: {first.name} ({first.suits}, {first.pairing})")
