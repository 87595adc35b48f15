/**
 * Options of Node for a process whose clock is wrong by some milliseconds, as with libfaketime: every `Date` of the process differs, and
 * what only measures how long something takes does not.
 */
export function shiftedClock(byMs: number): string[] {
  if (byMs === 0) return [];
  const code = `
    const Real = Date;
    const now = () => Real.now() + ${byMs};
    globalThis.Date = new Proxy(Real, {
      construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
      apply: () => new Real(now()).toString(),
      get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
    });`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}
