#!/bin/sh
# make.sh TREE: solves every bundle again with the code of TREE (a checkout of 86d1cbc), packs each.
# Not run by any test; kept so that it is known how the archives beside it were made.
set -eu
tree=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
c=$here/configs
work=$(mktemp -d)
cd "$work"
export PYTHONPATH="$tree/src" PYTHONDONTWRITEBYTECODE=1
runout() { "${PYTHON:-python}" -c "from runout.cli.main import main; main()" "$@" >/dev/null; }

runout solve-spot -c "$c/river.yaml" -o river -w 1
runout solve-spot -c "$c/flop_exact.yaml" -o flop_exact -w 1
runout solve-spot -c "$c/flop_compact.yaml" -o flop_compact -w 1
runout solve-preflop -c "$c/pushfold.yaml" -o pushfold -w 1
runout solve-preflop -c "$c/two_phase.yaml" -o two_phase -w 1
runout solve-preflop -c "$c/joint.yaml" -o joint -w 1
runout solve-preflop -c "$c/joint_compact.yaml" -o joint_compact -w 1
runout report -c "$c/report.yaml" --flops AhKd7s,9h6h2h,8s8d3c -l root -l x -l x:b20 \
  --keep-strategies -o report -w 1
runout solve-postflop -c "$c/values.yaml" -o values -w 1
runout solve-postflop -c "$c/values_bucketed.yaml" -o values_bucketed -w 1
runout abstraction build -o buckets --mode sampled --samples 500 --flop-buckets 5 \
  --turn-buckets 5 --river-buckets 5 -w 1

for name in *; do
  tar --sort=name --owner=0 --group=0 --numeric-owner -c "$name" | xz -9e >"$here/$name.tar.xz"
done
rm -rf "$work"
