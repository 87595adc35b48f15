/** Draws once for all that happens in a while. */
interface Redraw extends Disposable {
  /** draws so many milliseconds from now on, unless that is to be done before */
  soon(ms: number): void;
}

export function openRedraw(draw: () => void): Redraw {
  let timer: { readonly timeout: NodeJS.Timeout; readonly at: number } | undefined;
  const end = (): void => {
    clearTimeout(timer?.timeout);
    timer = undefined;
  };
  return {
    soon(ms) {
      const at = Date.now() + ms;
      if (timer !== undefined && timer.at <= at) return;
      end();
      const drawNow = (): void => {
        timer = undefined;
        draw();
      };
      timer = { timeout: setTimeout(drawNow, ms), at };
    },
    [Symbol.dispose]: end,
  };
}
