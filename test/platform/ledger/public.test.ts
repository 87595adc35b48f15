import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../src/service/context.ts';
import { verifyConsistency, verifyInclusion } from '../../../src/crypto/merkle.ts';
import { parseVerifierKey } from '../../../src/crypto/verifier-key.ts';
import { appendEntry } from '../../../src/platform/ledger/append.ts';
import { isSignedByNode, parseCheckpoint } from '../../../src/crypto/formats/ledger/checkpoint.ts';
import { genesisOf } from '../../../src/crypto/formats/ledger/genesis.ts';
import { rootOfEntries } from '../../../src/crypto/formats/ledger/recompute.ts';
import { isSignedBy, parseNote } from '../../../src/crypto/formats/ledger/signed-note.ts';
import { openHouse, type House } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

const unhex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const size = 40;

describe.each(engines)('the public ledger on %s', (engine) => {
  let house: House;
  const get = async (path: string) => await house.api('GET', path);

  beforeAll(async () => {
    house = await openHouse(engine);
    for (let count = 1; count < size; count += 1)
      await transaction(house.ctx, (tx) =>
        appendEntry(tx, { type: 'PASSVAULT_AUDIT', data: { count }, details: { secret: `nobody-sees-${count}` } }),
      );
  });
  afterAll(async () => await house[Symbol.asyncDispose]());

  it('gives out signed checkpoints to anybody, as text', async () => {
    const answer = await get('/ledger/checkpoint');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const { body: head } = await get('/ledger');
    const note = parseNote(answer.body)!;
    expect(isSignedBy(note, parseVerifierKey(head.logKey)!)).toBe(true);
    expect(isSignedByNode(note, head.origin, unhex(head.publicKey))).toBe(true);
    expect(parseCheckpoint(note.text)).toEqual({ origin: head.origin, size, root: unhex(head.root) });
    expect(head).toMatchObject({ size, genesis: 0, nodeId: house.ctx.keys.nodeId });
    expect((await get('/ledger/checkpoint')).body).toBe(answer.body);
    expect(await house.ctx.db.selectFrom('ledger_checkpoints').select('size').execute()).toEqual([{ size }]);
  });

  it('shows entries in pages, from which anybody gets the root', async () => {
    const tree = rootOfEntries();
    let pages = 0;
    for (let from: number | undefined = 0; from !== undefined; pages += 1) {
      const { body } = await get(`/ledger/entries?from=${from}&limit=15`);
      for (const entry of body.entries) expect(tree.add(entry)).toBeUndefined();
      from = body.next;
    }
    expect(pages).toBe(3);
    const { body: head } = await get('/ledger');
    expect(Buffer.from(tree.root()).toString('hex')).toBe(head.root);
    const { body: first } = await get('/ledger/entries?limit=1');
    expect(first).toMatchObject({ size, next: 1 });
    expect(genesisOf(JSON.parse(first.entries[0].entry))?.logKey).toBe(head.logKey);
  });

  it('takes ranges as they are asked for', async () => {
    const indices = async (query: string) => {
      const { status, body } = await get(`/ledger/entries${query}`);
      return status === 200
        ? [body.entries.map((one: { index: number }) => one.index), body.next]
        : [status, body.error];
    };
    expect(await indices('?from=3&to=6')).toEqual([[3, 4, 5], undefined]);
    expect(await indices('?from=3&to=6&limit=2')).toEqual([[3, 4], 5]);
    expect(await indices('?from=38&to=1000')).toEqual([[38, 39], undefined]);
    expect(await indices(`?from=${size}`)).toEqual([[], undefined]);
    expect(await indices('?from=5&to=5')).toEqual([[], undefined]);
    expect(await indices(`?from=${size + 1}`)).toEqual([404, 'LEDGER_TOO_SMALL']);
    expect(await indices('?from=6&to=5')).toEqual([400, 'VALIDATION_ERROR']);
    for (const wrong of ['?from=-1', '?from=x', '?limit=0', '?limit=1001', '?from=1.5', '?from=9007199254740993'])
      expect(await indices(wrong)).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('proves that each entry is in each ledger since', async () => {
    for (const index of [0, 1, 17, 38, 39]) {
      for (const at of [index + 1, 32, 39, size]) {
        const { status, body } = await get(`/ledger/proof/inclusion?index=${index}&size=${at}`);
        if (at <= index) {
          expect([status, body.error]).toEqual([404, 'LEDGER_ENTRY_NOT_FOUND']);
          continue;
        }
        const { leafHash, root, proof } = body;
        expect(body).toMatchObject({ index, size: at });
        expect(
          verifyInclusion({ index, size: at, leafHash: unhex(leafHash), root: unhex(root), proof: proof.map(unhex) }),
        ).toBe(true);
        const byHash = await get(`/ledger/proof/inclusion?hash=${leafHash.toUpperCase()}&size=${at}`);
        expect(byHash.body).toEqual(body);
      }
    }
    expect((await get('/ledger/proof/inclusion?index=3')).body.size).toBe(size);
  });

  it('proves that each ledger continues each smaller one', async () => {
    for (const [from, to] of [
      [1, 2],
      [1, size],
      [7, 8],
      [8, 32],
      [13, 39],
      [32, size],
      [size, size],
    ] as const) {
      const { body } = await get(`/ledger/proof/consistency?from=${from}&to=${to}`);
      const proof = body.proof.map(unhex);
      const ends = { fromRoot: unhex(body.fromRoot), toRoot: unhex(body.toRoot) };
      expect(verifyConsistency({ from, to, ...ends, proof })).toBe(true);
    }
    const { body } = await get('/ledger/proof/consistency?from=5');
    expect(body).toMatchObject({ from: 5, to: size, toRoot: (await get('/ledger')).body.root });
  });

  it.each([
    ['/ledger/proof/inclusion', 400, 'VALIDATION_ERROR'],
    [`/ledger/proof/inclusion?index=1&hash=${'ab'.repeat(32)}`, 400, 'VALIDATION_ERROR'],
    ['/ledger/proof/inclusion?hash=abcd', 400, 'VALIDATION_ERROR'],
    ['/ledger/proof/inclusion?index=-1', 400, 'VALIDATION_ERROR'],
    ['/ledger/proof/inclusion?index=1&size=0', 400, 'VALIDATION_ERROR'],
    [`/ledger/proof/inclusion?hash=${'ab'.repeat(32)}`, 404, 'LEDGER_ENTRY_NOT_FOUND'],
    [`/ledger/proof/inclusion?index=${size}`, 404, 'LEDGER_ENTRY_NOT_FOUND'],
    [`/ledger/proof/inclusion?index=1&size=${size + 1}`, 404, 'LEDGER_TOO_SMALL'],
    ['/ledger/proof/consistency', 400, 'VALIDATION_ERROR'],
    ['/ledger/proof/consistency?from=0&to=5', 400, 'VALIDATION_ERROR'],
    ['/ledger/proof/consistency?from=6&to=5', 400, 'VALIDATION_ERROR'],
    [`/ledger/proof/consistency?from=1&to=${size + 1}`, 404, 'LEDGER_TOO_SMALL'],
    [`/ledger/proof/consistency?from=${size + 1}`, 404, 'LEDGER_TOO_SMALL'],
    ['/ledger/proof/consistency?from=1&to=4503599627370497', 400, 'VALIDATION_ERROR'],
  ])('answers %s with %d %s', async (path, status, code) => {
    const answer = await get(path);
    expect([answer.status, answer.body.error]).toEqual([status, code]);
  });

  it('never shows what an entry commits to', async () => {
    const paths = ['/ledger', '/ledger/checkpoint', '/ledger/entries?limit=1000', '/ledger/proof/inclusion?index=5'];
    for (const path of paths) expect(JSON.stringify((await get(path)).body)).not.toContain('nobody-sees');
    const { body } = await get('/ledger/entries?from=5&limit=1');
    expect(JSON.parse(body.entries[0].entry).commit).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has checkpoints before its first entry', async () => {
    await using empty = await openHouse(engine);
    const { body: head } = await empty.api('GET', '/ledger');
    expect(head).toMatchObject({ size: 0, genesis: null });
    const note = parseNote((await empty.api('GET', '/ledger/checkpoint')).body)!;
    expect(isSignedBy(note, parseVerifierKey(head.logKey)!)).toBe(true);
    expect(note.text).toBe(`${head.origin}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n`);
    expect((await empty.api('GET', '/ledger/entries')).body).toEqual({ size: 0, entries: [], hasMore: false });
    expect((await empty.api('GET', '/ledger/proof/inclusion?index=0')).status).toBe(404);
    expect((await empty.api('GET', '/ledger/proof/consistency?from=1')).status).toBe(404);
  });

  it('shows an entry that was damaged as it is, so that readers notice', async () => {
    await using damaged = await openHouse(engine);
    await transaction(damaged.ctx, (tx) => appendEntry(tx, { type: 'POOL_ACL' }));
    const body = Uint8Array.from([0xff, 0xfe, 0x7b]);
    await damaged.ctx.ledger.settled();
    await damaged.ctx.db.updateTable('ledger_entries').set({ body }).where('leaf_index', '=', 1).execute();
    const answer = await damaged.api('GET', '/ledger/entries');
    expect(answer.status).toBe(200);
    const tree = rootOfEntries();
    expect(answer.body.entries.map((entry: never) => tree.add(entry))).toEqual([
      undefined,
      expect.stringContaining('entry 1'),
    ]);
  });
});
