import os

os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # before numba is imported
