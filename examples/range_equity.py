"""Range against range on a flop, exactly: the equity, and the best hands of the big blind.

Prints:

    <Equity 49.08%: win 48.01%, tie 2.13%, lose 49.85%>
    TT 90.1%
    99 89.3%
    22 87.8%
"""

import runout

big_blind = runout.Range("TT-22,A9s-A2s,KTs-K7s,QTs-Q8s,J8s+,T8s+,97s+,86s+,75s+,KTo+,QTo+,JTo")
small_blind = runout.Range("22+,A2s+,K5s+,Q8s+,J8s+,T8s+,97s+,87s,76s,A7o+,KTo+,QTo+,JTo")

result = runout.equity(big_blind, small_blind, "Th9h2c")
print(result)
by_hand = result.hero.equity_by_hand()
for hand in sorted(by_hand, key=by_hand.__getitem__, reverse=True)[:3]:
    print(f"{hand} {by_hand[hand]:.1%}")
