import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/contract/all.ts';
import { acceptsIdempotencyKey, keepsReply } from '../../src/contract/operation.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { toHex } from '../../src/crypto/bytes.ts';
import { contributionOf, opened } from '../services/quorum/sealing.ts';
import { sealedForOwner } from '../services/quorum/filled.ts';
import { masterPassword, openScene, said, shareWith, type Scene } from '../services/passvault/scene.ts';
import { admitMany } from '../services/quorum/scene.ts';
import { ownDomain } from '../../src/services/mail/own-mailbox.ts';
import { startNode, type RunningNode } from '../support/running-node.ts';
import { repeatableCalendarFiles } from './calendar-files.ts';
import { repeatableCalendars } from './calendar-lists.ts';
import { repeatableBooking } from './booking-lists.ts';
import { repeatableChat } from './chat-lists.ts';
import { repeatableContacts } from './contact-lists.ts';
import { codeOf } from './granting.ts';
import { repeatableInvitations } from './invitation-lists.ts';
import { repeatableMessages } from './message-lists.ts';
import { repeatableFiles, type Repeatable } from './repeatable-files.ts';
import { repeatableSocial } from './repeatable-social.ts';
import { inStage } from '../support/stage.ts';
import { createPostgresDatabase, engines, temporaryFolder } from '../support/stores.ts';

const key = { 'idempotency-key': 'the-same-again' };

async function mailOf({ house, owner }: Scene) {
  const row = await house.ctx.db
    .selectFrom('members')
    .select('username')
    .where('id', '=', owner.memberId)
    .executeTakeFirstOrThrow();
  const own = { localPart: row.username, domain: ownDomain(house.ctx) };
  const count = async () => (await house.ctx.db.selectFrom('mail_items').select('id').execute()).length;
  const message = { from: own, to: [own], subject: 'Once', textBody: 'Once.' };
  const ask = async (path: string, body: unknown) =>
    (await house.api('POST', `/api/emails${path}`, { token: owner.token, body })).body.data;
  const raw = `From: ${own.localPart}@${own.domain}\r\nTo: ${own.localPart}@${own.domain}\r\n\r\nOnce.\r\n`;
  return { own, count, message, ask, raw };
}

/** How each operation that takes an `Idempotency-Key` is asked, and how often what it does was done. */
const repeatable: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'account.create-backup-codes': async (scene) => ({
    path: '/api/user/backup-codes',
    body: {},
    count: async () => scene.house.log.lines.filter((line) => line['action'] === 'account.replace-backup-codes').length,
    effects: 1,
  }),
  'account.create-app-password': async ({ house }) => ({
    path: '/api/user/app-passwords',
    body: { name: 'Once', scopes: ['mail'] },
    count: async () => (await house.ctx.db.selectFrom('app_passwords').select('id').execute()).length,
    effects: 1,
  }),
  ...repeatableFiles,
  ...repeatableSocial,
  ...repeatableChat,
  ...repeatableCalendarFiles,
  ...repeatableCalendars,
  ...repeatableContacts,
  ...repeatableBooking,
  ...repeatableInvitations,
  ...repeatableMessages,
  'mail.send': async (scene) => {
    const { message, count } = await mailOf(scene);
    return { path: '/api/emails', body: message, count, effects: 2 };
  },
  'mail.reply': async (scene) => {
    const { message, ask, own, count } = await mailOf(scene);
    const { username } = await scene.house.register();
    const { id } = await ask('', { ...message, to: [{ localPart: username, domain: own.domain }] });
    return { path: `/api/emails/${id}/reply`, body: { from: own, textBody: 'Once.' }, count, effects: 4 };
  },
  'mail.forward': async (scene) => {
    const { message, ask, own, count } = await mailOf(scene);
    const { id } = await ask('', message);
    return { path: `/api/emails/${id}/forward`, body: { forwardTo: [own] }, count, effects: 4 };
  },
  'mail.upload': async ({ house }) => ({
    path: '/api/emails/uploads',
    rawBody: 'once',
    count: async () => (await house.ctx.db.selectFrom('mail_uploads').select('id').execute()).length,
    effects: 1,
  }),
  'mail.send-raw': async (scene) => {
    const { raw, count } = await mailOf(scene);
    return { path: '/api/emails/raw', rawBody: raw, count, effects: 2 };
  },
  'mail.import': async (scene) => {
    const { raw, count } = await mailOf(scene);
    return { path: '/api/emails/import', rawBody: raw, count, effects: 1 };
  },
  'mail.create-draft': async (scene) => {
    const { message, count } = await mailOf(scene);
    return { path: '/api/emails/drafts', body: message, count, effects: 1 };
  },
  'mail.send-draft': async (scene) => {
    const { message, ask, count } = await mailOf(scene);
    const { id } = await ask('/drafts', message);
    return { path: `/api/emails/${id}/send`, body: {}, count, effects: 2 };
  },
  'notifications.send-alert': async ({ house, owner }) => {
    const operator = { token: await house.operatorToken(), trusted: true, body: {} };
    await house.api('POST', `/api/admin/members/${owner.memberId}/promote`, operator);
    return {
      path: '/api/social/notifications/system-alert',
      body: { recipientId: owner.memberId, type: 'system_alert', content: 'Once' },
      count: async () => (await house.ctx.db.selectFrom('notifications').select('id').execute()).length,
      effects: 1,
    };
  },
  'passvault.create-vault': async (scene) => ({
    path: '/api/passvault/vaults',
    body: { name: 'Again', masterPassword },
    count: async () => (await scene.call('GET', '/vaults')).body.data.vaults.length as number,
    effects: 2,
  }),
  'passvault.create-entry': async (scene) => ({
    path: `/api/passvault/vaults/${scene.vaultId}/entries`,
    body: { type: 'secure_note', title: 'Once' },
    count: async () => (await scene.in('GET', '/entries')).entries.length as number,
    effects: 1,
  }),
  'passvault.add-attachment': async (scene) => {
    const id = await scene.login();
    return {
      path: `/api/passvault/vaults/${scene.vaultId}/entries/${id}/attachments`,
      body: { filename: 'a.txt', content: 'aGVsbG8=' },
      count: async () => (await scene.house.ctx.blocks.stat()).blocks,
      effects: 1,
    };
  },
  'quorum.add-member': async ({ house, owner }) => {
    const operator = { token: await house.operatorToken(), trusted: true, body: {} };
    await house.api('POST', `/api/admin/members/${owner.memberId}/promote`, operator);
    return {
      path: '/api/quorum/members',
      body: { name: 'Once' },
      count: async () => (await house.ctx.db.selectFrom('quorum_members').select('id').execute()).length,
      effects: 1,
    };
  },
  'quorum.seal': async ({ house }) => {
    const keys = [generateKeyPair(), generateKeyPair()];
    await admitMany({ house }, keys);
    return {
      path: '/api/quorum/documents/seal',
      body: { document: 'Once', memberIds: keys.map(({ publicKey }) => memberIdOf(publicKey)) },
      count: async () => (await house.ctx.blocks.stat()).blocks,
      effects: 1,
    };
  },
  'quorum.open-session': async ({ house, owner }) => {
    const { documentId } = await sealedForOwner({ house, owner });
    return {
      path: `/api/quorum/documents/${documentId}/unseal-sessions`,
      body: { ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Once' },
      count: async () => (await house.ctx.db.selectFrom('quorum_sessions').select('id').execute()).length,
      effects: 1,
    };
  },
  'quorum.begin-reshare': async ({ house, owner }) => {
    const { documentId, person, ask } = await sealedForOwner({ house, owner });
    const { member } = await ask('POST', '/members', { name: 'Second' });
    return {
      path: `/api/quorum/documents/${documentId}/reshare`,
      body: {
        ephemeralPublicKey: toHex(generateKeyPair().publicKey),
        memberIds: [person.id, member.id],
        reason: 'Once',
      },
      count: async () => (await house.ctx.db.selectFrom('quorum_reshares').select('id').execute()).length,
      effects: 1,
    };
  },
  'quorum.contribute': async ({ house, owner }) => {
    const { documentId, person, ask } = await sealedForOwner({ house, owner });
    const session = await opened({ ask }, documentId, owner.token);
    return {
      path: `/api/quorum${session.path}/contributions`,
      body: await contributionOf({ ask }, session, person),
      count: async () => (await house.ctx.db.selectFrom('quorum_contributions').select('member_id').execute()).length,
      effects: 1,
    };
  },
  'quorum.create-proposal': async ({ house, owner }) => {
    await sealedForOwner({ house, owner });
    await admitMany({ house }, [generateKeyPair()]);
    return {
      path: '/api/quorum/proposals',
      body: { description: 'Once', actionType: 'CUSTOM', actionPayload: {}, expiresAt: '2026-01-20T00:00:00.000Z' },
      count: async () => (await house.ctx.db.selectFrom('quorum_proposals').select('id').execute()).length,
      effects: 1,
    };
  },
  'pool.create-token': async ({ house, owner }) => {
    const operator = { token: await house.operatorToken(), trusted: true, body: {} };
    await house.api('POST', `/api/admin/members/${owner.memberId}/promote`, operator);
    const { db, clock } = house.ctx;
    return {
      path: '/api/admin/pool/tokens',
      body: { expiresAt: new Date(clock.now() + 60_000).toISOString() },
      count: async () => (await db.selectFrom('pool_tokens').select('id').execute()).length,
      effects: 1,
    };
  },
};

const ids = allOperations()
  .filter(acceptsIdempotencyKey)
  .map(({ id }) => id);
const kindOf = (id: string) => id.split('.')[0];
const ofEachKind = ids.filter(
  (id, at) => kindOf(id) !== kindOf(ids[at - 1] ?? '') || kindOf(id) !== kindOf(ids[at + 1] ?? ''),
);

it('is known how to ask whatever takes a key', () => {
  expect(Object.keys(repeatable).toSorted()).toEqual(ids.toSorted());
});

describe.each(engines)('a repeated request on %s', (engine) => {
  it.each(inStage(ofEachKind, ofEachKind, ids))('has one effect: %s', { tags: 'thorough' }, async (id) => {
    await using scene = await openScene(engine);
    const { path, body, rawBody, contentType = 'message/rfc822', count, effects } = await repeatable[id]!(scene);
    const { token } = scene.owner;
    const sent = rawBody === undefined ? { body } : { rawBody };
    const headers = { ...key, ...(rawBody !== undefined && { 'content-type': contentType }) };
    const ask = async () => await scene.house.api('POST', path, { token, ...sent, headers });
    // At once first: all of them have prepared everything before the first one commits.
    const answers = [...(await Promise.all([ask(), ask(), ask()])), await ask()];
    const first = answers.find(({ status }) => status < 300);
    const secret = !keepsReply(allOperations().find((op) => op.id === id)!);
    for (const answer of answers.filter((one) => one !== first))
      expect(secret ? codeOf(answer.body) : answer.body).toEqual(secret ? 'IDEMPOTENCY_REPLY_NOT_KEPT' : first?.body);
    expect(await count()).toBe(effects);
    expect(await scene.house.ctx.db.selectFrom('idempotency_keys').selectAll().execute()).toHaveLength(1);
  });

  it('is nothing to a former recipient, and needs the vault open', async () => {
    await using scene = await openScene(engine);
    const bob = await scene.house.register();
    await shareWith(scene, bob);
    const path = `/vaults/${scene.vaultId}/entries`;
    const body = { type: 'secure_note', title: 'What Bob may no longer see' };
    const ask = async (headers: Record<string, string>) => await scene.call('POST', path, body, bob.token, headers);
    const first = await ask(key);
    expect((await ask(key)).body).toEqual(first.body);
    const entryId = first.body.data.entry.id as string;
    const file = { filename: 'b.txt', content: 'aGVsbG8=' };
    const attach = async (headers: Record<string, string>) =>
      await scene.call('POST', `${path}/${entryId}/attachments`, file, bob.token, headers);
    const attached = { 'idempotency-key': 'a-file' };
    expect((await attach(attached)).status).toBe(200);

    await scene.in('POST', '/lock', {}, bob.token);
    for (const answer of [await ask(key), await attach(attached)]) expect(said(answer)).toBe('401 VAULT_LOCKED');
    await scene.in('POST', '/revoke-share', { memberId: bob.memberId, masterPassword });
    for (const [repeat, fresh] of [
      [await ask(key), await ask({})],
      [await attach(attached), await attach({})],
    ]) {
      expect(said(repeat!)).toBe('404 VAULT_NOT_FOUND');
      expect(repeat!.body).toEqual(fresh!.body);
    }
  });

  it('is nothing to whom a hub has banned', async () => {
    await using scene = await openScene(engine);
    const { house, owner } = scene;
    const bob = await house.register();
    const ask = async (token: string, path: string, body: object, headers: Record<string, string> = {}) =>
      await house.api('POST', `/api/social${path}`, { token, body, headers });
    const idOf = async (token: string, path: string, body: object) =>
      (await ask(token, path, body)).body.data['_id'] as string;
    const hubs = [
      await idOf(owner.token, '/hubs', { name: 'Open' }),
      await idOf(owner.token, '/hubs', { name: 'Sealed', trustTier: 'encrypted' }),
    ];
    const requests: (readonly [path: string, body: object])[] = [];
    for (const hub of hubs) {
      await ask(bob.token, `/hubs/${hub}/join`, {});
      const id = await idOf(bob.token, '/posts', { content: 'His', hubIds: [hub] });
      requests.push(
        ['/posts', { content: 'Once', hubIds: [hub] }],
        ['/posts', { content: 'Once', parentPostId: id }],
        [`/posts/${id}/quote`, { commentary: 'Once' }],
        [`/posts/${id}/repost`, {}],
      );
    }
    await ask(owner.token, `/hubs/${hubs[0]}/moderators`, { userId: bob.memberId });
    requests.push(['/hubs', { name: 'Below', parentHubId: hubs[0] }]);
    const keyed = (at: number) => ({ 'idempotency-key': `deed-${at}` });
    const outcomes = async (headersOf: (at: number) => Record<string, string>) => {
      const answers: string[] = [];
      for (const [at, [path, body]] of requests.entries()) {
        const answer = await ask(bob.token, path, body, headersOf(at));
        answers.push(`${path} ${answer.status} ${codeOf(answer.body) ?? answer.body.data['_id']}`);
      }
      return answers;
    };
    const first = await outcomes(keyed);
    expect(first.filter((text) => / 20[01] /.test(text))).toHaveLength(requests.length);
    expect(await outcomes(keyed)).toEqual(first);
    for (const hub of hubs) await ask(owner.token, `/hubs/${hub}/ban`, { userId: bob.memberId });
    const repeated = await outcomes(keyed);
    expect(repeated.filter((text) => !/ 40[34] (?:BANNED_FROM_HUB|FORBIDDEN|POST_NOT_FOUND)$/.test(text))).toEqual([]);
    expect(repeated).toEqual(await outcomes(() => ({})));
  });
});

describe.each(engines.filter((engine) => engine === 'postgres'))('two servers on one %s', () => {
  it('do together once what both are asked at once', async () => {
    await using database = await createPostgresDatabase({ migrated: true });
    await using folder = await temporaryFolder();
    const env = { CONCLAVE_DATABASE: database.url, CONCLAVE_NODE_SECRET_FILE: join(folder.path, 'secret') };
    await using one = await startNode({ env });
    await using two = await startNode({ env, dataDir: one.dataDir });
    const post = async (node: RunningNode, path: string, body: unknown, headers: Record<string, string> = {}) => {
      const answer = await node.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
      return (await answer.json()) as any;
    };
    const account = { username: 'ann', email: 'ann@example.org', password: 'seven green bottles' };
    const { data } = await post(one, '/api/user/register', account);
    const bearer = { authorization: `Bearer ${data.token}` };
    const vault = (await post(one, '/api/passvault/vaults', { name: 'Home', masterPassword }, bearer)).data.vault.id;
    for (let round = 0; round < 5; round += 1) {
      const headers = { ...bearer, 'idempotency-key': `round-${round}` };
      const ask = async (node: RunningNode) =>
        await post(node, `/api/passvault/vaults/${vault}/entries`, { type: 'secure_note', title: `${round}` }, headers);
      const answers = await Promise.all([one, two, one, two].map(ask));
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect(answers[0].data.entry.title).toBe(`${round}`);
    }
    const listed = await one.fetch(`/api/passvault/vaults/${vault}/entries`, { headers: bearer });
    expect(((await listed.json()) as { data: { entries: unknown[] } }).data.entries).toHaveLength(5);
  });
});
