import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engines, temporaryFolder } from '../../support/stores.ts';
import { rangeService } from './range-service.ts';
import { openScene, said } from './scene.ts';

const engine = engines[0]!;
const vaults = { bcryptRounds: 4, idleMs: 900_000, emergencyWaitMs: 0, breachList: undefined };
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();

describe('the breach check', () => {
  it('sends five digits, with padding, and counts', async () => {
    await using service = await rangeService({ hunter2: 17_000, pässwörd: 2 });
    await using scene = await openScene(engine, { config: { vaults: { ...vaults, breachUrl: service.url } } });
    const check = async (password: string) => (await scene.call('POST', '/breach-check', { password })).body.data;
    expect(await check('hunter2')).toEqual({ breached: true, count: 17_000 });
    expect(await check('pässwörd')).toEqual({ breached: true, count: 2 });
    expect(await check('nobody has this one')).toEqual({ breached: false, count: 0 });
    expect(service.asked).toEqual(
      ['hunter2', 'pässwörd', 'nobody has this one'].map((one) => ({
        path: `/range/${sha1(one).slice(0, 5)}`,
        padding: 'true',
      })),
    );
    expect(said(await scene.call('POST', '/breach-check', { password: '' }))).toBe('400 VALIDATION_ERROR');
  });

  it('does not count padding', async () => {
    await using service = await rangeService({ hunter2: 0 });
    await using scene = await openScene(engine, { config: { vaults: { ...vaults, breachUrl: service.url } } });
    const answer = await scene.call('POST', '/breach-check', { password: 'hunter2' });
    expect(answer.body.data).toEqual({ breached: false, count: 0 });
  });

  it('never takes an unusable answer for a good one', async () => {
    await using service = await rangeService({});
    await using elsewhere = await rangeService({ hunter2: 1 });
    await using scene = await openScene(engine, { config: { vaults: { ...vaults, breachUrl: service.url } } });
    const check = async () => said(await scene.call('POST', '/breach-check', { password: 'hunter2' }));
    const unavailable = '502 BREACH_SERVICE_UNAVAILABLE';
    for (const answer of [
      { status: 500, body: '' },
      { status: 429, body: 'slow down' },
      { status: 200, body: '' },
      { status: 200, body: '<html>sign in to this network</html>' },
      { status: 200, body: 'x'.repeat(2 * 1024 ** 2) },
      { status: 302, body: '', location: `${elsewhere.url}/range/F3BBB` },
    ]) {
      service.answer(() => answer);
      expect(await check(), JSON.stringify(answer).slice(0, 60)).toBe(unavailable);
    }
    expect(elsewhere.asked).toEqual([]);
    await service[Symbol.asyncDispose]();
    expect(await check()).toBe(unavailable);
    expect(JSON.stringify(scene.house.log.lines)).not.toContain('hunter2');
  });

  it('gives up after a while', async () => {
    await using service = await rangeService({});
    service.answer(() => 'never');
    await using scene = await openScene(engine, { config: { vaults: { ...vaults, breachUrl: service.url } } });
    expect(said(await scene.call('POST', '/breach-check', { password: 'x' }))).toBe('502 BREACH_SERVICE_UNAVAILABLE');
  });

  it('asks a copy of the list instead, where there is one', async () => {
    await using folder = await temporaryFolder();
    await using service = await rangeService({});
    const passwords = Array.from({ length: 500 }, (_, at) => `password number ${at}`);
    const lines = passwords.map((one, at) => `${sha1(one)}:${at + 1}`).toSorted();
    const file = join(folder.path, 'list.txt');
    const ranges = join(folder.path, 'ranges');
    await mkdir(ranges);
    await writeFile(
      join(ranges, `${sha1('hunter2').slice(0, 5)}.txt`),
      `${'0'.repeat(35)}:9\r\n${sha1('hunter2').slice(5)}:5\r\n`,
    );
    for (const [list, end] of [
      [file, '\r\n'],
      [file, '\n'],
      [ranges, ''],
    ] as const) {
      if (list === file) await writeFile(file, lines.join(end) + end);
      await using scene = await openScene(engine, {
        config: { vaults: { ...vaults, breachUrl: service.url, breachList: list } },
      });
      const count = async (password: string) =>
        (await scene.call('POST', '/breach-check', { password })).body.data?.count;
      if (list === file) {
        for (const at of [0, 1, 77, 250, 498, 499]) expect(await count(passwords[at]!)).toBe(at + 1);
        expect(await count('not in the list')).toBe(0);
        expect(await count('nor is this')).toBe(0);
      } else {
        expect(await count('hunter2')).toBe(5);
        expect(said(await scene.call('POST', '/breach-check', { password: 'in a range that is missing' }))).toBe(
          '502 BREACH_SERVICE_UNAVAILABLE',
        );
      }
    }
    expect(service.asked).toEqual([]);
  });

  it('finds every line of a list of any length', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'list.txt');
    const { countInList } = await import('../../../src/services/passvault/tools/breach-list.ts');
    for (let size = 1; size <= 12; size += 1) {
      const hashes = Array.from({ length: size }, (_, at) => sha1(`${size}/${at}`)).toSorted();
      await writeFile(file, hashes.map((hash, at) => `${hash}:${10 ** (at % 6)}`).join('\n'));
      for (const [at, hash] of hashes.entries()) expect(await countInList(file, hash)).toBe(10 ** (at % 6));
      expect(await countInList(file, sha1('absent'))).toBe(0);
      expect(await countInList(file, '0'.repeat(40))).toBe(0);
      expect(await countInList(file, 'F'.repeat(40))).toBe(0);
    }
    await writeFile(file, '');
    expect(await countInList(file, sha1('x'))).toBe(0);
    await writeFile(file, 'something else entirely\n'.repeat(20));
    await expect(countInList(file, sha1('x'))).rejects.toThrow(/none of it/);
  });
});

describe.each(engines)('the health report on %s', (name) => {
  it('names what is weak, reused, breached and old', async () => {
    await using service = await rangeService({ 'hunter2 but long and good': 12 });
    await using scene = await openScene(name, { config: { vaults: { ...vaults, breachUrl: service.url } } });
    const good = 'kX9#vQ2$mL7&pR4!zT6@';
    const old = await scene.login({ title: 'Old', password: `${good}1` });
    scene.house.clock.advance(400 * 86_400_000);
    const token = await scene.house.signIn(scene.owner);
    await scene.in('POST', '/open', { masterPassword: 'the master password of a test' }, token);
    const add = async (title: string, password: string, more = {}) =>
      (await scene.in('POST', '/entries', { type: 'login', title, password, ...more }, token)).entry.id as string;
    const weak = await add('Weak', 'abc123');
    const common = await add('Common', 'password123');
    const [one, two] = [await add('One', good), await add('Two', good)];
    const breached = await add('Breached', 'hunter2 but long and good');
    await add('Archived', 'abc', { archived: true });
    await add('Empty', '');
    const report = await scene.in('GET', '/health', undefined, token);
    expect(report).toMatchObject({ vaultId: scene.vaultId, checked: 6, breachCheck: 'done' });
    const ids = (list: { entryId: string }[]) => list.map((entry) => entry.entryId).toSorted();
    expect(ids(report.weak)).toEqual([weak, common].toSorted());
    expect(report.weak.find((entry: { entryId: string }) => entry.entryId === common).common).toBe(true);
    expect(report.reused).toHaveLength(1);
    expect(ids(report.reused[0].entries)).toEqual([one, two].toSorted());
    expect(report.breached).toEqual([{ entryId: breached, title: 'Breached', count: 12 }]);
    expect(report.old).toEqual([{ entryId: old, title: 'Old', days: 400 }]);
    expect(JSON.stringify(report)).not.toContain(good);

    service.answer(() => ({ status: 503, body: '' }));
    const unknown = await scene.in('GET', '/health', undefined, token);
    expect(unknown).toMatchObject({ breachCheck: 'unavailable', breached: [] });
    const asked = service.asked.length;
    expect(await scene.in('GET', '/health?breaches=skip', undefined, token)).toMatchObject({ breachCheck: 'skipped' });
    expect(service.asked).toHaveLength(asked);
  });
});
