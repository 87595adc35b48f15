/** How much of the work is done. */
interface Amounts {
  readonly done: number;
  readonly total: number;
  /** what of `done` was done before, and says nothing about the speed */
  readonly before?: number;
}

export interface Pace {
  readonly perSecond: number;
  /** undefined while nothing moves */
  readonly secondsLeft: number | undefined;
}

/** Milliseconds that the speed is taken from: long enough for a steady number, and short enough to see that it changes. */
const WINDOW_MS = 8_000;
/** Milliseconds between points in time that are remembered. */
const STEP_MS = 200;

/** Measures how fast work goes on, from its reports. @param now milliseconds of a clock that does not jump */
export function pacer(now: () => number = () => performance.now()): (amounts: Amounts) => Pace | undefined {
  let points: { readonly at: number; readonly done: number }[] = [];
  return ({ done: all, total, before = 0 }) => {
    const at = now();
    const done = all - before;
    const last = points.at(-1);
    if (last === undefined || at - last.at >= STEP_MS) {
      points = points.filter((point) => at - point.at <= WINDOW_MS);
      points.push({ at, done });
    }
    const [first] = points;
    if (first === undefined || at - first.at < 2 * STEP_MS) return undefined;
    const perSecond = Math.max(0, ((done - first.done) / (at - first.at)) * 1_000);
    return { perSecond, secondsLeft: perSecond > 0 ? Math.max(0, total - all) / perSecond : undefined };
  };
}

/** `5 s`, `3 min`, `2 h`: what one wants to know of the time that is left. */
export function roughly(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.ceil(seconds / 3_600)} h` : `${Math.ceil(seconds / 86_400)} days`;
}
