// Solves of the server: looked at as long as one is under way.
import { forget, look, tell } from "./api.js";
import { set, state } from "./store.js";

const LOOK_EVERY_MS = 1000;
let timer = null;

/** Puts a job among those that are known, and looks again until all are over. */
export function watchJobs(job = null) {
  if (job) set({ jobs: [...(state.jobs || []).filter((other) => other.id !== job.id), job] });
  clearTimeout(timer);
  timer = setTimeout(lookAgain, job ? LOOK_EVERY_MS / 4 : 0);
}

async function lookAgain() {
  const before = state.jobs || [];
  const answer = await look("/api/jobs").catch(() => null);
  const jobs = answer ? answer.jobs : before;
  set({ jobs });
  const ended = jobs.filter((job) => job.is_over && before.some((o) => o.id === job.id && !o.is_over));
  if (ended.length) {
    forget();
    const found = await look("/api/runs").catch(() => null);
    if (found) set({ runs: found.runs, marks: found });
  }
  if (jobs.some((job) => !job.is_over)) timer = setTimeout(lookAgain, LOOK_EVERY_MS);
}

export const stopJob = (job) => tell("DELETE", `/api/jobs/${job.id}`).then((now) => watchJobs(now));

/** Solves a solution further, to a lower target. */
export const solveFurther = (run, target) =>
  tell("POST", `/api/further/${encodeURIComponent(run)}`, { target }).then(watchJobs);

/** Starts a job again that was stopped, failed or was cut off. */
export const startAgain = (job) => tell("POST", `/api/jobs/${job.id}/again`).then(watchJobs);

/** Starts a spot again whose config was kept. */
export const resumeSpot = (name) => tell("POST", "/api/spots", { keys: {}, name }).then(watchJobs);
