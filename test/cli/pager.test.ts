import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { copyTo } from '../../src/cli/kit/pager.ts';
import { programLine } from '../support/program.ts';
import { temporaryFolder } from '../support/stores.ts';

const hasTerminal = (await execa('script', ['-qec', 'true', '/dev/null'], { reject: false })).exitCode === 0;

/** Runs the program on a terminal of its own. @returns what it showed there */
async function onTerminal(line: string, rows: number, env: Record<string, string>): Promise<string> {
  const command = `unset LESS LESSCHARSET; stty rows ${rows} cols 80; exec ${programLine()} ${line}`;
  const nowhere = { CONCLAVE_DATA_DIR: '/nowhere/at/all', ...env };
  return (await execa('script', ['-qec', command, '/dev/null'], { env: nowhere, stdin: 'ignore' })).stdout;
}

describe('bytes for a reader that has enough', () => {
  it.each(['EPIPE', 'EIO'])('end at %s, quietly if that is all', async (code) => {
    const output = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => void setImmediate(() => done(Object.assign(new Error(code), { code }))),
    });
    // As bin/guard.js has it.
    output.on('error', () => {});
    let read = 0;
    async function* body(): AsyncGenerator<Uint8Array> {
      for (; read < 10; read += 1) yield new Uint8Array(8);
    }
    const failed = await copyTo(output, body()).catch((error: unknown) => (error as Error).message);
    expect([failed, read]).toEqual([code === 'EPIPE' ? undefined : 'EIO', 0]);
  });
});

describe.runIf(hasTerminal)('a long answer on a terminal', { tags: 'needs-program' }, () => {
  it('goes through the pager, whole and as UTF-8, and a short one does not', async () => {
    await using folder = await temporaryFolder();
    const [paged, settings] = [join(folder.path, 'paged'), join(folder.path, 'settings')];
    const PAGER = `cat > '${paged}'; echo "$LESS $LESSCHARSET" > '${settings}'`;
    expect(await onTerminal('call --list', 24, { PAGER })).not.toContain('account.register');
    const text = await readFile(paged, 'utf8');
    expect(text).toContain('account.register');
    expect(text).toContain('reference.style');
    expect(await readFile(settings, 'utf8')).toBe('FRX utf-8\n');
    expect(await onTerminal('call --list', 2_000, { PAGER: 'false' })).toContain('reference.style');
  });

  it('is shown all the same where there is no such program, or none is wanted', async () => {
    for (const PAGER of ['/nowhere/at/all/less', 'cat'])
      expect(await onTerminal('call --list', 24, { PAGER })).toContain('reference.style');
  });
});
