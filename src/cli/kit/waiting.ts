import { isInteractive, type Terminal } from './terminal.ts';

/** The progress of long work; a total of 0 means that the total is unknown. */
export interface Progress {
  readonly what: string;
  readonly done: number;
  readonly total: number;
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

/** Waits for work. On a terminal, shows a spinner on stderr, or a bar if the work reports its progress. */
export async function waitFor<T>(terminal: Terminal, text: string, work: Work<T>): Promise<T> {
  const spinner = isInteractive(terminal) ? laterSpinner(terminal, text) : undefined;
  try {
    if (typeof work !== 'function') return await work;
    return await work({
      report: (progress) => spinner?.say(describeProgress(progress)),
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

function laterSpinner(terminal: Terminal, text: string): { say(text: string): void; start(): void; stop(): void } {
  let shown = text;
  let running: { text: string; stop(): unknown } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const spin = async (of: NodeJS.Timeout) => {
    try {
      const { default: ora } = await import('ora');
      const stream = terminal.stderr as NodeJS.WriteStream;
      // ora must not read stdin: that would take Ctrl-C away from the shell's job control. Whether to show a spinner was decided above;
      // ora itself would look at the variable CI.
      if (timer === of) running = ora({ text: shown, stream, discardStdin: false, isEnabled: true }).start();
    } catch {
      // The work goes on without a spinner.
    }
  };
  const start = () => {
    const started: NodeJS.Timeout = setTimeout(() => void spin(started), patienceMs);
    timer = started;
  };
  start();
  return {
    say(next) {
      shown = next;
      if (running !== undefined) running.text = next;
    },
    start,
    stop() {
      clearTimeout(timer);
      timer = undefined;
      running?.stop();
      running = undefined;
    },
  };
}

const barWidth = 24;

export function describeProgress({ what, done, total }: Progress): string {
  if (total <= 0) return done > 0 ? `${what}: ${done}` : what;
  const part = Math.min(1, done / total);
  const full = Math.round(part * barWidth);
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${String(Math.floor(part * 100)).padStart(3)} %  ${what}`;
}
