import { beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../../src/service/context.ts';
import { canonicalJson } from '../../../../src/crypto/canonical-json.ts';
import { deriveNodeKeys } from '../../../../src/config/node-keys.ts';
import { logOriginOf } from '../../../../src/crypto/verifier-key.ts';
import { inclusionRanges, leafHash, rootOf } from '../../../../src/crypto/merkle.ts';
import { fetchCheckpoint, fetchProof } from '../../../../src/cli/ledger/ledger-proof.ts';
import { appendEntry } from '../../../../src/platform/ledger/append.ts';
import { signCheckpoint, writeCheckpoint } from '../../../../src/crypto/formats/ledger/checkpoint.ts';
import { logKeyOf } from '../../../../src/crypto/formats/ledger/log-key.ts';
import { parseProofFile, writeProofFile } from '../../../../src/crypto/formats/ledger/proof-file.ts';
import { signText, writeNote } from '../../../../src/crypto/formats/ledger/signed-note.ts';
import { isContinued, signedCheckpoint, verifyProofFile } from '../../../../src/crypto/formats/ledger/verify-proof.ts';
import type { Caller } from '../../../../src/client/perform.ts';
import { openHouse, type House } from '../../../support/house.ts';
import { importsOf, readSources } from '../../../support/source-files.ts';
import { testRandom } from '../../../support/seeded.ts';
import { inStage } from '../../../support/stage.ts';

/** Calls a house as anybody would. */
function callerOf(house: House): Caller {
  return {
    place: 'the house',
    userAgent: 'test',
    tokenFor: async () => undefined,
    transport: {
      async send({ method, path, headers }) {
        const response = await house.fetch(new Request(`http://house.test${path}`, { method, headers }));
        const bytes = new Uint8Array(await response.arrayBuffer());
        return { status: response.status, headers: Object.fromEntries(response.headers), body: [bytes] as never };
      },
      [Symbol.asyncDispose]: async () => {},
    },
  };
}

let key: string;
let proof: string;
let nodeId: string;
let before: { note: string; size: number };
let after: string;

beforeAll(async () => {
  await using house = await openHouse('sqljs');
  const append = async (count: number) =>
    await transaction(house.ctx, (tx) => appendEntry(tx, { type: 'POOL_ACL', data: { count } }));
  for (let count = 0; count < 9; count += 1) await append(count);
  const caller = callerOf(house);
  before = { note: await fetchCheckpoint(caller), size: 10 };
  for (let count = 9; count < 20; count += 1) await append(count);
  proof = await fetchProof(caller, 13);
  after = await fetchCheckpoint(caller);
  key = logKeyOf(house.ctx.keys);
  nodeId = house.ctx.keys.nodeId;
});

const failed = (text: string, options = { key }) =>
  verifyProofFile(text, options)
    .checks.filter(({ ok }) => !ok)
    .map(({ name }) => name);

describe('a proof file', () => {
  it('proves its entry with nothing but its bytes', () => {
    const report = verifyProofFile(proof, { key });
    expect(report).toMatchObject({ ok: true, trust: 'pinned', logKey: key, nodeId, index: 13, size: 21 });
    expect(report.entry).toMatchObject({ type: 'POOL_ACL', data: { count: 12 } });
    expect(report.checks.map(({ name }) => name)).toEqual([
      'form',
      'log signature',
      'node identity',
      'inclusion',
      'entry',
    ]);
    expect(report.proven).toHaveLength(3);
    expect(report.notProven.join(' ')).toContain('others were shown the same ledger');
  });

  it('has the standard form, which other programs can read', () => {
    const lines = proof.split('\n');
    expect(lines[0]).toBe('c2sp.org/tlog-proof@v1');
    expect(lines[1]).toMatch(/^extra [A-Za-z0-9+/]+=*$/);
    expect(lines[2]).toBe('index 13');
    expect(proof).toContain(`\n\nconclave/${nodeId}\n21\n`);
    expect(proof.endsWith(after)).toBe(true);
    expect(writeProofFile(parseProofFile(proof)!)).toBe(proof);
    const standard = parseProofFile(
      'c2sp.org/tlog-proof@v1\nextra YWdl\nindex 73894\ngSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=\n\nexample.com/log\n',
    );
    expect(standard).toMatchObject({ index: 73894, extra: undefined, checkpoint: 'example.com/log\n' });
    expect(standard?.proof).toHaveLength(1);
  });

  it('says when the key is taken on trust', () => {
    const report = verifyProofFile(proof);
    expect(report).toMatchObject({ ok: true, trust: 'first-use', logKey: key });
    expect(report.notProven[0]).toContain('--key');
  });

  it('is nothing under another key', () => {
    const other = logKeyOf(deriveNodeKeys(new Uint8Array(32).fill(3)));
    expect(failed(proof, { key: other })).toEqual(['log signature', 'node identity']);
    expect(failed(proof, { key: 'nonsense' })).toEqual(['log signature', 'node identity']);
    expect(verifyProofFile(proof, { key: other }).proven).toEqual([]);
  });

  it('is refused whatever byte of it is changed', () => {
    const accepted: number[] = [];
    const bytes = Buffer.from(proof);
    // Each place in one of a few runs' worth: they take seconds.
    const step = inStage(40, 20, 3);
    for (let at = Math.floor(testRandom()() * step); at < bytes.length; at += step) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 7);
      if (verifyProofFile(changed.toString('utf8'), { key }).ok) accepted.push(at);
    }
    expect(accepted).toEqual([]);
  });

  it('is refused when its parts are those of other proofs', () => {
    const file = parseProofFile(proof)!;
    const extra = file.extra!;
    const entry = JSON.parse(extra.entry);
    const write = (parts: Partial<typeof file>) => writeProofFile({ ...file, ...parts });
    expect(failed(write({ index: 12 }))).toContain('inclusion');
    expect(failed(write({ proof: file.proof.slice(1) }))).toEqual(['inclusion']);
    expect(failed(write({ checkpoint: before.note }))).toEqual(expect.arrayContaining(['inclusion', 'node identity']));
    const other = canonicalJson({ ...entry, data: { count: 99 } });
    expect(failed(write({ extra: { ...extra, entry: other } }))).toEqual(['inclusion']);
    expect(failed(write({ extra: undefined }))).toEqual(['inclusion']);
    const genesis = { ...extra.genesis!, index: 1 };
    expect(failed(write({ extra: { ...extra, genesis } }))).toEqual(['node identity']);
    const { genesis: _, ...alone } = extra;
    const bare = verifyProofFile(write({ extra: alone }), { key });
    expect(bare).toMatchObject({ ok: true, nodeId: undefined });
    expect(bare.notProven.join(' ')).toContain('Which node');
    expect(verifyProofFile(write({ extra: alone })).ok).toBe(false);
  });

  it('by somebody who made up a whole log is no proof for the real key', () => {
    const keys = deriveNodeKeys(new Uint8Array(32).fill(4));
    const entries = ['{"index":0,"time":"2026-01-15T12:00:00.000Z","type":"POOL_ACL","v":1}', 'x'];
    const hashes = entries.map((text) => leafHash(Buffer.from(text)));
    const made = writeProofFile({
      index: 0,
      proof: inclusionRanges(0, 2).map(() => hashes[1]!),
      checkpoint: signCheckpoint(keys, 2, rootOf(hashes)),
      extra: { entry: entries[0]! },
    });
    expect(verifyProofFile(made, { key: logKeyOf(keys) }).ok).toBe(true);
    expect(failed(made)).toEqual(['log signature']);
  });

  it('of another log that the same key signed is none of the log that the key is named after', () => {
    const keys = deriveNodeKeys(new Uint8Array(32).fill(4));
    const entry = '{"index":0,"time":"2026-01-15T12:00:00.000Z","type":"POOL_ACL","v":1}';
    const hash = leafHash(Buffer.from(entry));
    const noteOf = (origin: string) => {
      const text = writeCheckpoint({ origin, size: 1, root: rootOf([hash]) });
      return writeNote({ text, signatures: [signText(text, logOriginOf(keys.nodeId), keys.ledgerLog)] });
    };
    const made = (origin: string) =>
      writeProofFile({ index: 0, proof: [], checkpoint: noteOf(origin), extra: { entry } });
    const [own, logKey] = [logOriginOf(keys.nodeId), logKeyOf(keys)];
    expect(failed(made(own), { key: logKey })).toEqual([]);
    expect(failed(made('log.example/another'), { key: logKey })).toEqual(['log signature']);
    expect(signedCheckpoint(noteOf(own), logKey)).toMatchObject({ size: 1 });
    expect(signedCheckpoint(noteOf('log.example/another'), logKey)).toBeUndefined();
  });

  it.each([
    '',
    'x',
    'c2sp.org/tlog-proof@v1\n\n',
    'c2sp.org/tlog-proof@v1\nindex 01\n\nx',
    'c2sp.org/tlog-proof@v2\nindex 1\n\nx',
    'c2sp.org/tlog-proof@v1\nindex 1\nAAAA\n\nx',
  ])('is not %j', (text) => {
    expect(verifyProofFile(text)).toMatchObject({ ok: false, checks: [{ name: 'form', ok: false }], proven: [] });
  });
});

describe('checkpoints of one log', () => {
  it('are taken when the key signed them', () => {
    expect(signedCheckpoint(before.note, key)).toMatchObject({ size: 10 });
    expect(signedCheckpoint(before.note.replace('\n10\n', '\n11\n'), key)).toBeUndefined();
    expect(signedCheckpoint(before.note, logKeyOf(deriveNodeKeys(new Uint8Array(32).fill(3))))).toBeUndefined();
  });

  it('continue each other by a proof alone', () => {
    const [older, newer] = [signedCheckpoint(before.note, key)!, signedCheckpoint(after, key)!];
    expect(isContinued({ older, newer, proof: [] })).toBe(false);
    expect(isContinued({ older: newer, newer: older, proof: [] })).toBe(false);
    expect(isContinued({ older, newer: older, proof: [] })).toBe(true);
    expect(isContinued({ older, newer: { ...older, origin: 'another' }, proof: [] })).toBe(false);
  });
});

it('is checked by code that knows neither the store nor the network', async () => {
  const imports = (await readSources()).flatMap(importsOf);
  const reached = new Set([
    'src/crypto/formats/ledger/verify-proof.ts',
    'src/crypto/formats/ledger/recompute.ts',
    'src/crypto/formats/ledger/proof-file.ts',
  ]);
  for (const file of reached)
    for (const { from, to, kind } of imports) if (from === file && kind !== 'type') reached.add(to);
  const outside = [...reached].filter(
    (to) => !/^src\/(?:(?:platform\/ledger|crypto)\/|base\/(?:whole-number|exact-time)\.ts$)|^@noble\/|^node:/.test(to),
  );
  expect(outside).toEqual([]);
  expect([...reached]).toContain('src/crypto/merkle.ts');
});
