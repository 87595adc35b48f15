import type { Terminal } from '../terminal.ts';
import { copyText } from './clipboard.ts';
import { clearingOf, launchClearing } from './clipboard-clearing.ts';

export interface Copied {
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
    const said = `Copied ${what} by the terminal: clear it yourself.`;
    return { clearAfterSeconds: 0, said };
  }
  if (clearAfterSeconds === 0) return { clearAfterSeconds, said: `Copied ${what}.` };
  await launchClearing(terminal, clearingOf(tool, secret, clearAfterSeconds * 1000));
  return { clearAfterSeconds, said: `Copied ${what}; in ${clearAfterSeconds} s it is cleared, if it still is there.` };
}
