import { pacer, roughly, type Pace } from './pace.ts';
import { bytes } from './screen.ts';
import { isInteractive, type Terminal } from './terminal.ts';

/** The progress of long work; a total of 0 means that the total is unknown. */
export interface Progress {
  readonly what: string;
  readonly done: number;
  readonly total: number;
  /** Bytes are shown with their speed and the time that is left. */
  readonly unit?: 'bytes';
  /** what of `done` was done before, and says nothing about the speed */
  readonly before?: number;
}

/** The functions by which long work shows its state and asks questions. */
export interface Teller {
  readonly report: (progress: Progress) => void;
  /** removes the spinner while `talk` uses the terminal */
  readonly aside: <T>(talk: () => Promise<T>) => Promise<T>;
}

export type Work<T> = Promise<T> | ((teller: Teller) => Promise<T>);

/** Milliseconds. Work that takes less time shows no spinner. */
const patienceMs = 250;

/** Runs an action when work takes long. @returns cancels it */
type WhenLong = (action: () => void) => () => void;

const byTimer: WhenLong = (action) => {
  const timer = setTimeout(action, patienceMs);
  return () => clearTimeout(timer);
};

/** Waits for work. On a terminal, shows a spinner on stderr, or a bar if the work reports its progress. */
export async function waitFor<T>(
  terminal: Terminal,
  text: string,
  work: Work<T>,
  whenLong: WhenLong = byTimer,
): Promise<T> {
  const spinner = canSpin(terminal) ? laterSpinner(terminal, text, whenLong) : undefined;
  const paceOf = pacer();
  try {
    if (typeof work !== 'function') return await work;
    return await work({
      report: (progress) => spinner?.say(describeProgress(progress, paceOf(progress))),
      async aside(talk) {
        spinner?.stop();
        const said = await talk();
        spinner?.start();
        return said;
      },
    });
  } finally {
    spinner?.stop();
  }
}

/** Serial lines and new containers have terminals of 0 columns: ora divides by that, and clears endless lines. */
function canSpin(terminal: Terminal): boolean {
  return isInteractive(terminal) && terminal.stderr.columns !== 0;
}

function laterSpinner(
  terminal: Terminal,
  text: string,
  whenLong: WhenLong,
): { say(text: string): void; start(): void; stop(): void } {
  let shown = text;
  let running: { text: string; stop(): unknown } | undefined;
  let wait: { cancel?: () => void } | undefined;
  const spin = async (of: object) => {
    try {
      const { default: ora } = await import('ora');
      const stream = terminal.stderr as NodeJS.WriteStream;
      // ora must not read stdin: that would take Ctrl-C away from the shell's job control. Whether to show a spinner was decided above;
      // ora itself would look at the variable CI.
      if (wait === of) running = ora({ text: shown, stream, discardStdin: false, isEnabled: true }).start();
    } catch {
      // The work goes on without a spinner.
    }
  };
  const start = () => {
    const started: { cancel?: () => void } = {};
    wait = started;
    started.cancel = whenLong(() => void spin(started));
  };
  start();
  return {
    say(next) {
      shown = next;
      if (running !== undefined) running.text = next;
    },
    start,
    stop() {
      wait?.cancel?.();
      wait = undefined;
      running?.stop();
      running = undefined;
    },
  };
}

const barWidth = 24;
/** Beside a speed there is less room in 80 columns. */
const shortBarWidth = 12;

export function describeProgress({ what, done, total, unit }: Progress, pace?: Pace): string {
  if (total <= 0) return done > 0 ? `${what}: ${done}` : what;
  const part = Math.min(1, done / total);
  const width = unit === undefined ? barWidth : shortBarWidth;
  const full = Math.round(part * width);
  const bar = `${'█'.repeat(full)}${'░'.repeat(width - full)} ${String(Math.floor(part * 100)).padStart(3)} %  ${what}`;
  if (unit === undefined) return bar;
  const speed = pace === undefined ? '' : `, ${bytes(Math.round(pace.perSecond))}/s`;
  const left = pace?.secondsLeft === undefined || part === 1 ? '' : `, ${roughly(pace.secondsLeft)} left`;
  return `${bar} ${bytes(Math.min(done, total))} of ${bytes(total)}${speed}${left}`;
}
