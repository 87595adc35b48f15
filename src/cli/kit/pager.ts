import { once } from 'node:events';
import { widthOf, type Terminal } from './terminal.ts';

/** Writes an answer to stdout, through the pager if it does not fit on the terminal. */
export async function page(terminal: Terminal, text: string): Promise<void> {
  const { stdout, env } = terminal;
  const pager = env['PAGER'] ?? 'less';
  if (stdout === process.stdout && stdout.isTTY === true && pager !== '' && pager !== 'cat' && isLong(terminal, text)) {
    if (await piped(pager, text, env)) return;
  }
  await new Promise<void>((resolve, reject) =>
    stdout.write(text, (error) => (error && !isClosed(error) ? reject(error) : resolve())),
  );
}

/** ECMA-48 Select Graphic Rendition, which takes no columns. */
// oxlint-disable-next-line no-control-regex -- that is how it begins
const colours = /\u001b\[[\d;]*m/g;

/** Stops at the height of the terminal, because a text may have 100,000 lines. Wide text may have up to twice the counted lines. */
function isLong(terminal: Terminal, text: string): boolean {
  const width = widthOf(terminal.stdout);
  let left = terminal.stdout.rows ?? 24;
  for (let at = 0; left >= 0;) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end === -1 ? text.length : end).replaceAll(colours, '');
    left -= Math.max(1, Math.ceil(line.length / width));
    if (end === -1) break;
    at = end + 1;
  }
  return left < 0;
}

/** @returns false if the program does not exist */
async function piped(pager: string, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { startProgram } = await import('./start-program.ts');
  return await new Promise((resolve) => {
    // FRX: quit if the text fits on one screen, keep colours, leave the text on the screen. The input is UTF-8 in every locale.
    const settings = { LESS: 'FRX', LESSCHARSET: 'utf-8' };
    const child = startProgram(pager, [], {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...settings, ...env },
    });
    // While the pager runs, it handles Ctrl-C.
    const ignore = () => {};
    process.on('SIGINT', ignore);
    const done = (shown: boolean) => {
      process.off('SIGINT', ignore);
      resolve(shown);
    };
    child.once('error', () => done(false));
    child.once('close', (code) => done(code !== 127));
    child.stdin?.on('error', ignore);
    child.stdin?.end(text);
  });
}

/** The reader has closed the pipe (`| head`). */
function isClosed(error: Error): boolean {
  return 'code' in error && error.code === 'EPIPE';
}

/** Copies bytes to an output, no faster than the output accepts them, until its reader has enough. */
export async function copyTo(output: Terminal['stdout'], body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of body) {
    if (output.destroyed) return;
    if (!output.write(chunk) && !(await drained(output))) return;
  }
}

/** @returns false if nobody reads the output any more */
async function drained(output: Terminal['stdout']): Promise<boolean> {
  try {
    await once(output, 'drain');
    return true;
  } catch (error) {
    if (error instanceof Error && isClosed(error)) return false;
    throw error;
  }
}
