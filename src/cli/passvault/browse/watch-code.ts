import { setTimeout as wait } from 'node:timers/promises';
import { oneTimeCode } from '../../../client/one-time-code.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { escapeForTerminal } from '../../kit/escape-for-terminal.ts';

const barWidth = 20;

/** `123 456` is easier to read than `123456`. The five characters of Steam stay together, as Steam shows them. */
export function spaced(code: string): string {
  if (code.length < 6) return code;
  const half = Math.ceil(code.length / 2);
  return `${code.slice(0, half)} ${code.slice(half)}`;
}

export function codeLine(label: string, secret: string, nowMs: number): string {
  const { code, remainingSeconds, period } = oneTimeCode(secret, nowMs);
  const full = Math.ceil((remainingSeconds / period) * barWidth);
  const bar = '█'.repeat(full) + '░'.repeat(barWidth - full);
  return `${spaced(code)}  ${bar} ${String(remainingSeconds).padStart(3)} s  ${escapeForTerminal(label)}`;
}

/** Shows the code and its remaining time until interrupted: on a terminal in one line that changes, elsewhere one line for each code. */
export async function watchCode(
  { stdout }: Terminal,
  label: string,
  secret: string,
  { signal, now = Date.now }: { signal: AbortSignal; now?: () => number },
): Promise<void> {
  let last = '';
  while (!signal.aborted) {
    const { code } = oneTimeCode(secret, now());
    if (stdout.isTTY === true)
      stdout.write(`\r\u001b[2K${codeLine(label, secret, now()).slice(0, (stdout.columns ?? 80) - 1)}`);
    else if (code !== last) stdout.write(`${code}\n`);
    last = code;
    // Waits until the next full second, so that the updates do not drift.
    await wait(1000 - (now() % 1000), undefined, { signal }).catch(() => undefined);
  }
  if (stdout.isTTY === true) stdout.write('\r\u001b[2K');
}

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs work until a signal asks it to end. The interruption is not a failure. */
export async function untilInterrupted(run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ending) process.once(signal, stop);
  try {
    await run(stopping.signal);
  } finally {
    for (const signal of ending) process.off(signal, stop);
  }
}
