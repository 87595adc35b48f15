import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { bundle } from '../../support/bundle.ts';
import { bothEngines, createPostgresDatabase, temporaryFolder } from '../../support/stores.ts';
import { saidTogether } from './announcement-scene.ts';

const ENVELOPES = 10;
const EACH = 4;

/** Runs the node, gives it the envelopes, and kills it after this number of lines that it says; resolves to these. */
async function live(program: string, setup: object, envelopes: readonly string[], lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, JSON.stringify(setup)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  const ended = once(child, 'exit');
  const said: string[] = [];
  child.stdin.write(envelopes.map((hex) => `${hex}\n`).join(''));
  for await (const line of createInterface({ input: child.stdout })) if (said.push(line) === lines) break;
  child.kill('SIGKILL');
  await ended;
  return said;
}

describe.each(bothEngines)('a node on %s that is killed after it recorded announcements', (engine) => {
  it('handles them in its next lives, each at least once', async () => {
    await using program = await bundle('test/platform/network/announcement-process.ts');
    await using folder = await temporaryFolder();
    await using database = engine === 'sqljs' ? undefined : await createPostgresDatabase({ migrated: true });
    const author = generateKeyPair();
    const envelopes = Array.from({ length: ENVELOPES }, (_, at) =>
      toHex(
        saidTogether(
          author,
          Date.now(),
          Array.from({ length: EACH }, (__, place) => ({ type: 'test', payload: at * EACH + place })),
        ),
      ),
    );
    const setup = { dataDir: folder.path, url: database?.url, secret: toHex(randomBytes(32)) };
    const all = Array.from({ length: ENVELOPES * EACH }, (_, n) => `handled ${n}`);

    // Nothing is handled in the first life. In each of the next ones it is, a part at a time, and the envelopes come again as well.
    const first = await live(program.path, { ...setup, handles: 0 }, envelopes, ENVELOPES);
    expect(first).toEqual(Array.from({ length: ENVELOPES }, () => 'recorded true'));
    const second = await live(program.path, { ...setup, handles: 16 }, [], 16);
    expect(second).toHaveLength(16);
    const third = await live(program.path, { ...setup, handles: 1_000 }, envelopes, ENVELOPES + ENVELOPES * EACH);
    expect(third.filter((line) => line === 'refused_replay')).toHaveLength(ENVELOPES);
    expect(new Set(third.filter((line) => line !== 'refused_replay'))).toEqual(new Set(all));
  });
});
