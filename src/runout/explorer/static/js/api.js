// Answers of the server, or of the files of an exported site, each asked for once.

const MOST_KEPT = 400;
const kept = new Map();

export const isStatic = () => document.documentElement.dataset.mode === "static";

/** The name of a file that stands for a question to a server. */
export function fileOf(argument) {
  return argument ? argument.replaceAll(":", "_") : "root";
}

function addressOf(kind, run, argument) {
  if (isStatic()) return run ? `data/${run}/${kind}/${fileOf(argument)}.json` : `data/${kind}.json`;
  if (!run) return `/api/${kind}`;
  const query = argument ? `?n=${encodeURIComponent(argument)}` : "";
  return `/api/${kind}/${encodeURIComponent(run)}${query}`;
}

/** A problem in the words of the server. */
export class Refused extends Error {
  constructor(status, where, problem) {
    super(problem);
    Object.assign(this, { status, where, problem });
  }
}

/** Asks, or remembers the answer: kinds are runs, facts, node, classes, cards, lines, flops. */
export function ask(kind, run = "", argument = "", isFresh = false) {
  const address = addressOf(kind, run, argument);
  if (!isFresh && kept.has(address)) {
    const answer = kept.get(address);
    kept.delete(address);
    kept.set(address, answer); // the last used is forgotten last
    return answer;
  }
  const answer = load(address);
  kept.set(address, answer);
  answer.catch(() => kept.delete(address));
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return answer;
}

async function load(address, options = {}) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Refused(0, "", "");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.where || "", answer.problem || "");
  return answer;
}

/** Forgets what was answered about runs, after one was replaced. */
export function forget() {
  kept.clear();
}

/** Tells the server to do something; only jobs do. */
export function tell(method, path, body) {
  return load(path, {
    method,
    headers: { "Content-Type": "application/json", "X-Runout": "1" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

/** Asks without remembering. */
export const look = (path) => load(path);
