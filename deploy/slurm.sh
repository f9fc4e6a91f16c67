#!/bin/sh
# The same command on every node: they share the flops by claims, and the first to finish writes
# the result. Give the job again to go on after its time was up: SIGTERM saves, finished flops stay.
#
#     sbatch --nodes 3 deploy/slurm.sh -c flops.yaml -o /shared/runs/flops
#
#SBATCH --job-name=runout
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=12:00:00
#SBATCH --signal=TERM@120
#SBATCH --requeue

# Kernels are code: every node has its own cache, on a disk of its own if there is one.
export RUNOUT_CACHE="${SLURM_TMPDIR:-$HOME/.cache}/runout-$SLURM_JOB_ID"
exec srun --kill-on-bad-exit=0 runout solve-postflop "$@" --workers "$SLURM_CPUS_PER_TASK"
