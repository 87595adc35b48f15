import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importFormats } from '../../../src/services/passvault/transfer/import/record.ts';
import { runs } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { utf8, writers, type SampleLogin } from './transfer/import/samples.ts';
import { openScene, type Scene } from './scene.ts';

const login = (index: number, password = `p${index}`): SampleLogin => ({
  title: `T${index}`,
  username: `u${index}`,
  password,
  url: `https://a${index}.example/`,
  notes: 'n',
});

async function importInto(scene: Scene, format: string, bytes: Uint8Array, more: object = {}) {
  const fileContent = Buffer.from(bytes).toString('base64');
  return await scene.call('POST', `/vaults/${scene.vaultId}/import`, { format, fileContent, ...more });
}

const entryCount = async (scene: Scene): Promise<number> =>
  (await scene.call('GET', '/vaults')).body.data.vaults[0].entryCount;

describe.each(engines)('a file for the import on %s', (engine) => {
  it('never makes for more than a 400, whatever it is, and everything that is counted is there', async () => {
    await using scene = await openScene(engine);
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .tuple(fc.constantFrom(...importFormats), fc.nat(), fc.nat(255), fc.nat(40))
        .map(([format, at, byte, length]) => {
          const file = writers[format]!([login(1), login(2), login(3)]);
          const place = at % file.length;
          return Buffer.concat([file.subarray(0, place), Buffer.from([byte]), file.subarray(place + length)]);
        }),
    );
    let entries = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...importFormats, 'auto'), bytes, fc.boolean(), async (format, file, skip) => {
        const { status, body } = await importInto(scene, format, file, { skipDuplicates: skip, password: 'p' });
        expect([200, 400]).toContain(status);
        if (status === 400) {
          expect(body.error.code).toMatch(/^(?:UNSUPPORTED_FORMAT|IMPORT_UNREADABLE|IMPORT_PASSWORD_WRONG)$/);
          return;
        }
        const { imported, types, errors } = body.data;
        expect(types.login + types.credit_card + types.secure_note).toBe(imported);
        expect(errors.every(({ row }: { row: number }) => row >= 1)).toBe(true);
        entries += imported;
        expect(await entryCount(scene)).toBe(entries);
      }),
      { numRuns: runs(120) },
    );
    // All of it can be read again.
    const all = (await scene.in('GET', '/entries')).entries;
    expect(all).toHaveLength(entries);
    for (const { id } of all.slice(0, 20)) await scene.in('GET', `/entries/${id}`);
    expect((await scene.in('POST', '/search', {})).results).toHaveLength(entries);
  });

  it.each(importFormats)('of %s has as many records as are imported, skipped or errors', async (format) => {
    await using scene = await openScene(engine);
    // Firefox has no titles; two records are the same, and one is in the vault already.
    const file = writers[format]!([login(1), login(2), login(2), login(3), login(4)]);
    const first = await importInto(scene, format, writers[format]!([login(3)]));
    expect(first.body.data).toMatchObject({ imported: 1, skipped: 0, errors: [] });
    const dry = await importInto(scene, 'auto', file, { skipDuplicates: true, dryRun: true });
    expect(dry.body.data).toMatchObject({ imported: 3, skipped: 2, errors: [], format, dryRun: true });
    expect(await entryCount(scene)).toBe(1);
    const done = await importInto(scene, format, file, { skipDuplicates: true });
    expect(done.body.data).toMatchObject({ imported: 3, skipped: 2, errors: [] });
    const again = await importInto(scene, format, file, { skipDuplicates: true });
    expect(again.body.data).toMatchObject({ imported: 0, skipped: 5, errors: [] });
    expect(await entryCount(scene)).toBe(4);
  });

  it('counts records that cannot be read as errors, and imports the others', async () => {
    await using scene = await openScene(engine);
    const file = utf8('name,url,username,password\nA,,u,p\nB,,u,"p"x\n\nC,,u,p,more\nD,,u,p\n,,,\n"E');
    const { imported, skipped, errors } = (await importInto(scene, 'browserA_csv', file)).body.data;
    expect([imported, skipped, errors.map(({ row }: { row: number }) => row)]).toEqual([2, 1, [2, 3, 6]]);
    expect(imported + skipped + errors.length).toBe(6);
  });
});
