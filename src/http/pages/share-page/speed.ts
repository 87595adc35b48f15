/** Milliseconds that a measurement goes back. */
const WINDOW = 8_000;
/** Below, what it says jumps. */
const SHORTEST = 1_500;

/** @returns a function that takes how many bytes are done, and answers bytes a second; undefined as long as it can't say */
export function speedometer(): (done: number, now: number) => number | undefined {
  const seen: { readonly at: number; readonly done: number }[] = [];
  return (done, now) => {
    seen.push({ at: now, done });
    while (seen.length > 2 && now - (seen[1]?.at ?? now) > WINDOW) seen.shift();
    const first = seen[0] ?? { at: now, done };
    return now - first.at < SHORTEST ? undefined : ((done - first.done) * 1000) / (now - first.at);
  };
}
