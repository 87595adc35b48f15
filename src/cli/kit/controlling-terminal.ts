import { closeSync, constants, openSync } from 'node:fs';
import { isatty, ReadStream, WriteStream } from 'node:tty';

/** tty(4): the terminal of the session that a process belongs to, whatever its inputs and outputs are. */
const ownTerminal = '/dev/tty';

/**
 * The controlling terminal, for a program whose inputs and outputs are pipes.
 *
 * @returns undefined if there is none
 */
export function openControllingTerminal(env: NodeJS.ProcessEnv, path = ownTerminal) {
  const input = openTerminal(path, constants.O_RDONLY);
  if (input === undefined) return undefined;
  const output = openTerminal(path, constants.O_WRONLY);
  if (output === undefined) {
    closeSync(input);
    return undefined;
  }
  const stdin = new ReadStream(input);
  // The end of a question must not close the output, because the next question uses it as well.
  const stderr = Object.assign(new WriteStream(output), { _isStdio: true });
  return {
    stdin,
    stdout: stderr,
    stderr,
    env,
    async [Symbol.asyncDispose]() {
      stdin.destroy();
      stderr.destroy();
    },
  };
}

function openTerminal(path: string, flags: number): number | undefined {
  try {
    // O_NOCTTY: opening a terminal must not make it the controlling terminal of this process.
    const file = openSync(path, flags | constants.O_NOCTTY);
    if (isatty(file)) return file;
    closeSync(file);
  } catch {
    // This process has no controlling terminal.
  }
  return undefined;
}
