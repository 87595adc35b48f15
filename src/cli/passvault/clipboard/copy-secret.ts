import type { Terminal } from '../../kit/terminal.ts';
import { copyText } from './clipboard.ts';
import { clearingOf, launchClearing } from './clipboard-clearing.ts';

export interface Copied {
  /** whether the clipboard is known to hold the secret; a terminal (OSC 52) does not confirm it */
  readonly certain: boolean;
  /** 0 if nothing clears the clipboard */
  readonly clearAfterSeconds: number;
  /** the message for people */
  readonly said: string;
}

/** Puts a secret into the clipboard, and starts a process that removes it after some seconds (0: never). */
export async function copySecret(
  terminal: Terminal,
  what: string,
  secret: string,
  clearAfterSeconds: number,
): Promise<Copied> {
  const tool = await copyText(terminal, secret);
  if (tool === undefined) {
    const said = `Sent ${what} to the clipboard of the terminal. Whether that worked is unknown: paste to check. Clear it yourself.`;
    return { certain: false, clearAfterSeconds: 0, said };
  }
  if (clearAfterSeconds === 0) return { certain: true, clearAfterSeconds, said: `Copied ${what}.` };
  await launchClearing(terminal, clearingOf(tool, secret, clearAfterSeconds * 1000));
  const said = `Copied ${what}. The clipboard is cleared in ${clearAfterSeconds} s.`;
  return { certain: true, clearAfterSeconds, said };
}
