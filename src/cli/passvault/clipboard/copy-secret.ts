import type { Terminal } from '../../kit/terminal.ts';
import { copyText } from './clipboard.ts';
import { clearingOf, launchClearing } from './clipboard-clearing.ts';

export interface Copied {
  /** whether the clipboard took it: a terminal that was asked to (OSC 52) doesn't say */
  readonly certain: boolean;
  /** 0 where nothing clears the clipboard */
  readonly clearAfterSeconds: number;
  /** for people */
  readonly said: string;
}

/** Puts a secret into the clipboard, and has a process of its own take it away after some seconds; never for 0. */
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
