import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectKey, type Collected } from '../../../src/client/quorum/collect.ts';
import { contribute } from '../../../src/client/quorum/contribute.ts';
import { memberKeys } from '../../../src/client/quorum/member-key.ts';
import { dropTicket, keepTicket, keptTickets } from '../../../src/client/quorum/tickets.ts';
import { endSession, finishUnseal, openSession } from '../../../src/client/quorum/unseal.ts';
import { fromHex, toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { generateMnemonic } from '../../../src/crypto/mnemonic.ts';
import { unwrapShare } from '../../../src/crypto/formats/quorum/document.ts';
import { sha256Hex } from '../../../src/crypto/hash.ts';
import { wrapContribution } from '../../../src/crypto/formats/quorum/contribution.ts';
import { contributionStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { Problem } from '../../../src/base/problem.ts';
import { leaks } from '../../support/canaries.ts';
import type { House } from '../../support/house.ts';
import { engines, temporaryFolder } from '../../support/stores.ts';
import { tableNames } from '../../support/store-tables.ts';
import { callerOf, tapped } from './callers.ts';
import { openQuorum, type Person, type QuorumScene } from './scene.ts';
import { sealed } from './sealing.ts';
import { slowly } from '../../support/real-time.ts';

const rejection = async (promise: Promise<unknown>) =>
  await promise.then(
    () => 'no error',
    (error: unknown) => (error instanceof Problem ? `${error.code}: ${error.message}` : String(error)),
  );

/** Bytes as they could lie somewhere. */
function spellings(bytes: Uint8Array): string[] {
  const buffer = Buffer.from(bytes);
  return [buffer.toString('latin1'), buffer.toString('hex'), JSON.stringify([...bytes]).slice(1, -1)].concat(
    [0, 1, 2].map((offset) =>
      Buffer.concat([Buffer.alloc(offset), buffer])
        .toString('base64')
        .slice(offset === 0 ? 0 : 4, -4),
    ),
  );
}

/** All that the node has: every row of every table, every file of its data, and its log. */
async function stored({ ctx, log }: House): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [Buffer.from(JSON.stringify(log.lines))];
  for (const name of await tableNames(ctx.store)) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(ctx.db);
    for (const value of rows.flatMap((row) => Object.values(row)))
      found.push(value instanceof Uint8Array ? value : Buffer.from(String(value)));
  }
  const folder = ctx.config.dataDir;
  for (const name of await readdir(folder, { recursive: true }))
    if ((await stat(join(folder, name))).isFile()) found.push(await readFile(join(folder, name)));
  return found;
}

describe.each(engines)('unsealing at the client on %s', (engine) => {
  let scene: QuorumScene;
  beforeAll(async () => {
    scene = await openQuorum(engine, 3);
    scene.willTamper();
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const session = async (documentId: string, at = 0) => {
    const caller = callerOf(scene.house.fetch, scene.people[at]!);
    return { caller, ...(await openSession(caller, { documentId, reason: 'We need it' })) };
  };

  it('gives the node neither phrase, share nor key: nothing that it received or stored has any of them', async () => {
    const tap = tapped(scene.house.fetch);
    const asked = async (method: string, path: string, token: string, body: unknown) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const request = new Request(`http://house.test/api/quorum${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      return (await (await tap.fetch(request)).json()) as { member: { id: string } };
    };
    const holders: Person[] = [];
    for (let left = 4; left > 0; left -= 1) {
      const account = await scene.house.register();
      const mnemonic = generateMnemonic();
      const keys = await memberKeys(mnemonic);
      const { username: name, memberId: accountId } = account;
      const input = { name, accountId, publicKey: toHex(keys.publicKey) };
      const { member } = await asked('POST', '/members', scene.administrator.token, input);
      holders.push({ ...account, id: member.id, mnemonic, keys });
    }
    const document = await sealed(scene, { holders, sharesRequired: 3, content: utf8('"the plan of the vault"') });

    const [asker, ...others] = holders;
    const caller = callerOf(tap.fetch, asker!);
    const { ticket } = await openSession(caller, { documentId: document.id, reason: 'For the board' });
    const opening = finishUnseal(caller, ticket, { pause: async () => await slowly(1) });
    const givers = others.map(async (holder) => {
      const keys = await memberKeys(holder.mnemonic);
      await contribute(callerOf(tap.fetch, holder), ticket, keys).catch((error: unknown) => {
        // The requester needs three of four; a later one finds the session ended.
        if (!(error instanceof Problem && error.code === 'UNSEAL_SESSION_ENDED')) throw error;
      });
    });
    await Promise.all(givers);
    expect(await opening).toEqual(document.content);

    const shares = await scene.house.ctx.db
      .selectFrom('quorum_shares')
      .selectAll()
      .where('document_id', '=', document.id)
      .execute();
    const bare = shares.map((row) => {
      const { keys } = holders.find(({ id }) => id === row.member_id)!;
      const wrapped = { encryptedShare: row.encrypted_share, salt: row.salt, commitment: row.commitment };
      const { epochNumber } = JSON.parse(document.header) as { epochNumber: number };
      const place = { documentId: document.id, memberId: row.member_id, epochNumber, generation: 1 };
      return unwrapShare(keys.privateKey, wrapped, place);
    });
    expect(bare).toHaveLength(4);
    const words = holders.flatMap(({ mnemonic }) => {
      const all = mnemonic.split(' ');
      return all.slice(2).map((_, at) => all.slice(at, at + 3).join(' '));
    });
    const secrets = [document.key, ...bare, fromHex(ticket.privateKey), ...holders.map(({ keys }) => keys.privateKey)];
    const places = [...tap.received, ...(await stored(scene.house))];
    expect(places.length).toBeGreaterThan(100);
    const all = Buffer.concat(places.flatMap((place) => [place, Buffer.of(0)]));
    expect(leaks(words, all)).toEqual([]);
    const text = all.toString('latin1');
    expect(secrets.flatMap(spellings).filter((spelling) => text.includes(spelling))).toEqual([]);
    // The search finds what is there.
    expect(leaks([ticket.documentId], all)).toEqual([ticket.documentId]);
    expect(spellings(shares[0]!.salt).some((spelling) => text.includes(spelling))).toBe(true);
  });

  it('goes on in another process with the ticket of the first', async () => {
    const document = await sealed(scene);
    const { ticket, caller } = await session(document.id);
    await using folder = await temporaryFolder();
    await keepTicket(folder.path, { ...ticket, server: 'https://one.test' });
    expect((await stat(join(folder.path, 'quorum', `${ticket.sessionId}.json`))).mode & 0o777).toBe(0o600);
    const given = new AbortController();
    const first = finishUnseal(caller, ticket, {
      signal: given.signal,
      onLook: () => given.abort(new Error('killed')),
    });
    expect(await rejection(first)).toContain('killed');
    for (const person of scene.people.slice(0, 2))
      await contribute(callerOf(scene.house.fetch, person), ticket, person.keys);
    expect(await keptTickets(folder.path, 'https://other.test')).toEqual([]);
    const [kept] = await keptTickets(folder.path, 'https://one.test');
    expect(await finishUnseal(callerOf(scene.house.fetch, scene.people[0]!), kept!)).toEqual(document.content);
    await dropTicket(folder.path, kept!);
    expect(await keptTickets(folder.path, 'https://one.test')).toEqual([]);
    expect(await rejection(finishUnseal(caller, ticket))).toBe(
      'UNSEAL_SESSION_ENDED: The session was completed. Whoever needs the document opens another.',
    );
  });

  it('names contributions that are damaged or signed by another, and goes on with the others', async () => {
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene);
    const { ticket, caller, session: open } = await session(document.id);
    for (const person of [ann!, bob!, cyd!]) await contribute(callerOf(scene.house.fetch, person), ticket, person.keys);
    const { db } = scene.house.ctx;
    const rows = db.selectFrom('quorum_contributions').selectAll().where('session_id', '=', ticket.sessionId);
    const all = await rows.execute();
    const change = async (memberId: string, set: object) =>
      await db
        .updateTable('quorum_contributions')
        .set(set)
        .where('session_id', '=', ticket.sessionId)
        .where('member_id', '=', memberId)
        .execute();
    // Somebody at the store, and a member who signs what is no share.
    const place = {
      sessionId: ticket.sessionId,
      documentId: document.id,
      generation: 1,
      memberId: bob!.id,
      ephemeralPublicKey: open.ephemeralPublicKey,
    };
    const forged = wrapContribution(new Uint8Array(33).fill(7), place);
    const statement = contributionStatement({ ...place, shareHash: sha256Hex(forged) });
    await change(bob!.id, { encrypted_share: forged, signature: toHex(sign(bob!.keys.privateKey, statement)) });
    let last: Collected | undefined;
    const { key } = await collectKey(caller, ticket, { onLook: (so) => void (last = so) });
    expect(key).toEqual(document.key);
    expect(last).toMatchObject({
      usable: expect.arrayContaining([ann!.id, cyd!.id]) as string[],
      unusable: [{ memberId: bob!.id, why: 'is damaged, or is no share of this document' }],
    });
    const damaged = Uint8Array.from(all.find((row) => row.member_id === cyd!.id)!.encrypted_share!);
    damaged[40]! ^= 1;
    await change(cyd!.id, { encrypted_share: damaged });
    const reasons = new Map([
      [bob!.id, 'is damaged, or is no share of this document'],
      [cyd!.id, 'was not signed by this member'],
    ]);
    const whose = [...reasons.keys()].toSorted().map((id) => `that of ${id} ${reasons.get(id)}`);
    expect(await rejection(collectKey(caller, ticket))).toBe(
      `INSUFFICIENT_SHARES: Contributions cannot be used: ${whose.join('; ')}. Too few holders are left for the 2 shares that are needed.`,
    );
  });

  it('refuses the phrase of another member, no phrase at all, and a share that is damaged at the node', async () => {
    const [ann, bob] = scene.people;
    const document = await sealed(scene);
    const { ticket } = await session(document.id);
    const caller = callerOf(scene.house.fetch, ann!);
    expect(await rejection(contribute(caller, ticket, bob!.keys))).toBe(
      `SHARE_DECRYPTION_FAILED: This is the recovery phrase of another member. Your account is linked to the member ${ann!.id}.`,
    );
    expect(await rejection(memberKeys('one two three'))).toBe(
      'MNEMONIC_INVALID: This is not a recovery phrase. Check the words and their order.',
    );
    await scene.house.ctx.db
      .updateTable('quorum_shares')
      .set({ commitment: '00'.repeat(32) })
      .where('document_id', '=', document.id)
      .where('member_id', '=', ann!.id)
      .execute();
    expect(await rejection(contribute(caller, ticket, ann!.keys))).toContain(
      'SHARE_DECRYPTION_FAILED: Your share of this document is damaged on the server.',
    );
  });

  it('says that the content was changed, and ends nothing then', async () => {
    const document = await sealed(scene);
    const other = await sealed(scene);
    const { ticket, caller } = await session(document.id);
    for (const person of scene.people.slice(0, 2))
      await contribute(callerOf(scene.house.fetch, person), ticket, person.keys);
    const { header } = await scene.house.ctx.db
      .selectFrom('quorum_documents')
      .select('header')
      .where('id', '=', other.id)
      .executeTakeFirstOrThrow();
    await scene.house.ctx.db.updateTable('quorum_documents').set({ header }).where('id', '=', document.id).execute();
    expect(await rejection(finishUnseal(caller, ticket))).toBe(
      'DOCUMENT_DAMAGED: The sealed document on the server is damaged or was changed.',
    );
    await endSession(caller, ticket, 'cancelled');
    await endSession(caller, ticket, 'cancelled');
    expect(await rejection(finishUnseal(caller, ticket))).toContain('UNSEAL_SESSION_ENDED: The session was cancelled.');
  });

  it('keeps two sessions apart: what was given to one opens nothing in the other', async () => {
    const [ann, bob] = scene.people;
    const document = await sealed(scene);
    const [one, two] = [await session(document.id, 0), await session(document.id, 1)];
    for (const person of [ann!, bob!]) await contribute(callerOf(scene.house.fetch, person), one.ticket, person.keys);
    const { db } = scene.house.ctx;
    const rows = await db
      .selectFrom('quorum_contributions')
      .selectAll()
      .where('session_id', '=', one.ticket.sessionId)
      .execute();
    for (const row of rows)
      await db
        .insertInto('quorum_contributions')
        .values({ ...row, session_id: two.ticket.sessionId })
        .execute();
    for (const { privateKey } of [one.ticket, two.ticket])
      expect(await rejection(collectKey(two.caller, { ...two.ticket, privateKey }))).toContain(
        'INSUFFICIENT_SHARES: Contributions cannot be used',
      );
    expect(await finishUnseal(one.caller, one.ticket)).toEqual(document.content);
  });
});
