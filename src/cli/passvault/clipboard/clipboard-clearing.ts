import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ownCommand } from '../../../base/one-file.ts';
import { startProgram } from '../../kit/start-program.ts';
import type { Terminal } from '../../kit/terminal.ts';
import { clearClipboard, clipboardTool, pasteText, type ClipboardTool } from './clipboard.ts';

/** Seconds. */
export const clearAfter = 45;

/** The input of the process that clears the clipboard. It never gets the text itself. */
export interface Clearing {
  readonly tool: string;
  /** hex */
  readonly salt: string;
  /** hex of SHA-256(salt ‖ text without trailing line ends) */
  readonly hash: string;
  readonly afterMs: number;
}

export function clearingOf(tool: ClipboardTool, text: string, afterMs: number): Clearing {
  const salt = randomBytes(16);
  return {
    tool: tool.name,
    salt: salt.toString('hex'),
    hash: digest(salt, Buffer.from(text)).toString('hex'),
    afterMs,
  };
}

/** Starts a process of this program that clears the clipboard later. It outlives this process and its terminal. */
export async function launchClearing(
  { env }: Terminal,
  clearing: Clearing,
  [command, words] = ownCommand('vault', 'clear-clipboard'),
): Promise<void> {
  const child = startProgram(command, words, {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
  });
  await new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.stdin?.once('error', () => resolve());
    child.stdin?.end(JSON.stringify(clearing), () => resolve());
  });
  child.unref();
}

/** Waits, and clears the clipboard if it still holds the copied text. @returns whether it cleared the clipboard */
export async function clearLater(text: string, env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<boolean> {
  const { tool: name, salt, hash, afterMs } = JSON.parse(text) as Clearing;
  const tool = clipboardTool(name);
  if (tool === undefined) return false;
  const { setTimeout: wait } = await import('node:timers/promises');
  await wait(afterMs, undefined, signal === undefined ? {} : { signal });
  const now = await pasteText(tool, env);
  if (now === undefined || !timingSafeEqual(digest(Buffer.from(salt, 'hex'), now), Buffer.from(hash, 'hex')))
    return false;
  await clearClipboard(tool, env);
  return true;
}

/** Clipboard programs may add or remove a line end. */
function digest(salt: Uint8Array, text: Buffer): Buffer {
  let end = text.length;
  while (end > 0 && (text[end - 1] === 0x0a || text[end - 1] === 0x0d)) end -= 1;
  return createHash('sha256').update(salt).update(text.subarray(0, end)).digest();
}
