import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Ready } from '../../src/node/listeners/serve.ts';

/** What a process of test/support/serve-process.ts says first. @throws Error with what it said instead, when it ends before */
export async function readyOf(child: Promise<{ stderr: string }> & { stdout: Readable }): Promise<Ready> {
  const ended = child.then(({ stderr }) => {
    throw new Error(`the server ended before it listened: ${stderr}`);
  });
  const [first] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
  return JSON.parse(String(first)) as Ready;
}
