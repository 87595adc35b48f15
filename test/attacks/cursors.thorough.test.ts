import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allOperations } from '../../src/contract/all.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { aclHash, aclText } from '../../src/crypto/formats/access-list/document.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { memberIdOf } from '../../src/crypto/public-key.ts';
import { fillQuorum } from '../services/quorum/filled.ts';
import { notified } from '../services/notifications/notifying.ts';
import { masterPassword, openScene, type Scene } from '../services/passvault/scene.ts';
import { admitMany } from '../services/quorum/scene.ts';
import { ownStatements } from '../support/own-statements.ts';
import type { ApiAnswer } from '../support/house.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import { inStage } from '../support/stage.ts';
import { engines } from '../support/stores.ts';
import { calendarLists, fillCalendars } from './calendar-lists.ts';
import { chatLists, fillChat, newestFirst } from './chat-lists.ts';
import { bookingLists, fillBooking } from './booking-lists.ts';
import { contactLists, fillContacts } from './contact-lists.ts';
import { codeOf } from './granting.ts';
import { fillInvitations, invitationLists } from './invitation-lists.ts';
import { fileLists, fillFiles, shareFiles, type Request } from './file-lists.ts';
import { fillMessages, messageLists } from './message-lists.ts';
import { fillSocial, socialLists } from './social-lists.ts';

/** How each list is asked for; as another member, or with another filter, it is another list. */
const lists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'account.list-sessions': () => [{ path: '/api/user/sessions' }],
  'account.list-app-passwords': () => [{ path: '/api/user/app-passwords' }],
  ...fileLists,
  'members.list': () => [
    { path: '/api/admin/members' },
    { path: '/api/admin/members?type=User' },
    { path: '/api/admin/members?query=e' },
  ],
  'members.sessions': ({ owner }) => [{ path: `/api/admin/members/${owner.memberId}/sessions` }],
  'ledger.entries': () => [{ path: '/ledger/entries' }, { path: '/ledger/entries?from=1' }],
  'notifications.list': () => [
    { path: '/api/social/notifications' },
    { path: '/api/social/notifications?unread=true' },
    { path: '/api/social/notifications?unread=false' },
  ],
  'passvault.list-vaults': () => [{ path: '/api/passvault/vaults' }],
  'passvault.list-trusteeships': () => [{ path: '/api/passvault/trusteeships' }],
  'passvault.list-entries': (scene) => [{ path: inVault(scene, 'entries') }],
  'passvault.list-vault-members': (scene) => [{ path: inVault(scene, 'members') }],
  'passvault.audit-log': (scene) => [{ path: inVault(scene, 'audit-log') }],
  'passvault.search': (scene) => [
    { path: inVault(scene, 'search'), body: {} },
    { path: inVault(scene, 'search'), body: { query: 'login' } },
    { path: inVault(scene, 'search'), body: { tags: ['a'] } },
  ],
  'quorum.audit': () => [{ path: '/api/quorum/audit' }, { path: '/api/quorum/audit?action=MEMBER_ADDED' }],
  'quorum.list-aliases': () => [{ path: '/api/quorum/aliases' }],
  'quorum.list-epochs': () => [{ path: '/api/quorum/epochs' }],
  'quorum.list-documents': () => [
    { path: '/api/quorum/documents' },
    { path: '/api/quorum/documents?holdersChanged=false' },
  ],
  ...calendarLists,
  ...chatLists,
  ...contactLists,
  ...bookingLists,
  ...invitationLists,
  ...socialLists,
  ...messageLists,
  'pool.nodes': () => [{ path: '/api/admin/pool/nodes' }],
  'pool.pending-nodes': () => [{ path: '/api/admin/pool/pending-nodes' }],
  'pool.acl-history': () => [{ path: '/api/admin/pool/acl/history' }],
  'pool.acl-evidence': () => [{ path: '/api/admin/pool/acl/evidence' }],
  'pool.acl-proposals': () => [{ path: '/api/admin/pool/acl/proposals' }],
  'pool.outbox': () => [{ path: '/api/admin/pool/outbox' }],
  'pool.tokens': () => [{ path: '/api/admin/pool/tokens' }],
  'quorum.list-proposals': () => [{ path: '/api/quorum/proposals' }, { path: '/api/quorum/proposals?status=pending' }],
  'quorum.list-sessions': () => [
    { path: '/api/quorum/unseal-sessions' },
    { path: '/api/quorum/unseal-sessions?which=mine' },
    { path: '/api/quorum/unseal-sessions?which=waiting' },
  ],
  'quorum.list-reshares': () => [
    { path: '/api/quorum/reshares' },
    { path: '/api/quorum/reshares?which=mine' },
    { path: '/api/quorum/reshares?which=waiting' },
  ],
};

function inVault({ vaultId }: Scene, what: string): string {
  return `/api/passvault/vaults/${vaultId}/${what}`;
}

function isPaged(op: Operation): boolean {
  return 'cursor' in (op.input.entries as object);
}

/** The largest page of a list: what the schema of its limit allows. */
function mostOf(op: Operation): number {
  const most = (schema: unknown): number | undefined => {
    if (typeof schema !== 'object' || schema === null) return undefined;
    if ('type' in schema && schema.type === 'max_value')
      return (schema as unknown as { requirement: number }).requirement;
    return Object.values(schema)
      .map(most)
      .find((found) => found !== undefined);
  };
  const found = most((op.input.entries as Record<string, unknown>)['limit']);
  if (found === undefined) throw new Error(`${op.id} has no largest page`);
  return found;
}

async function ask({ house }: Scene, { path, body }: Request, token: string, page: object): Promise<ApiAnswer> {
  if (body !== undefined) return await house.api('POST', path, { token, body: { ...body, ...page } });
  const url = new URL(path, 'http://house.test');
  for (const [name, value] of Object.entries(page)) url.searchParams.set(name, String(value));
  return await house.api('GET', url.pathname + url.search, { token });
}

/** Calendars and contacts say where the next page is, and nothing on the last one. */
const replyOf = ({ body }: ApiAnswer) => {
  const reply = body.data ?? body;
  const { nextCursor: cursor } = reply;
  return cursor === undefined ? reply : { ...reply, cursor, hasMore: true };
};

/** So that each list has a second page. @returns another administrator */
async function fill(scene: Scene) {
  const { house, owner } = scene;
  const operator = await house.operatorToken();
  await house.api('POST', `/api/admin/members/${owner.memberId}/promote`, { token: operator, trusted: true, body: {} });
  const other = await house.administrator();
  await house.signIn(other);
  for (const name of ['Telephone', 'Script'])
    await house.api('POST', '/api/user/app-passwords', { token: owner.token, body: { name, scopes: ['mail'] } });
  await scene.login({ tags: ['a'] });
  // Of two of one millisecond the ids decide.
  house.clock.advance(1);
  await scene.login({ tags: ['a'] });
  const [bob] = [await house.register(), await house.register()];
  await scene.in('POST', '/share', { recipientMemberIds: [bob.memberId] });
  await house.signIn(owner);
  await scene.call('POST', '/vaults', { name: 'Second', masterPassword });
  for (const name of ['Theirs', 'Theirs as well']) {
    const made = await scene.call('POST', '/vaults', { name, masterPassword }, bob.token);
    const trust = { threshold: 1, trustees: [owner.memberId] };
    await scene.call('POST', `/vaults/${made.body.data.vault.id}/emergency-access`, trust, bob.token);
  }
  await house.api('GET', '/api/admin/pool/acl', { token: owner.token });
  const { db } = house.ctx;
  const writer = await db.selectFrom('pool_writers').selectAll().executeTakeFirstOrThrow();
  const list = await db.selectFrom('pool_lists').selectAll().executeTakeFirstOrThrow();
  await db
    .insertInto('pool_writers')
    .values({ ...writer, node_id: 'f'.repeat(40) })
    .execute();
  await db
    .insertInto('pool_lists')
    .values({ ...list, version: 0 })
    .execute();
  const { accepted_at: found_at, ...contradicting } = list;
  const { node_id: _, ...node } = writer;
  const keys = [generateKeyPair(), generateKeyPair()];
  await admitMany({ house }, keys);
  const memberIds = keys.map(({ publicKey }) => memberIdOf(publicKey));
  for (const document of [1, 2])
    await house.api('POST', '/api/quorum/documents/seal', { token: owner.token, body: { document, memberIds } });
  for (const digit of ['a', 'b']) {
    await db
      .insertInto('pool_evidence')
      .values({ ...contradicting, found_at, hash: digit.repeat(64) })
      .execute();
    const proposal = {
      ...JSON.parse(list.document),
      version: 2,
      prev: list.hash,
      mode: digit === 'a' ? 'open' : 'closed',
    };
    const document = aclText(proposal);
    await db
      .insertInto('pool_proposals')
      .values({
        pool_id: list.pool_id,
        hash: aclHash(document),
        version: 2,
        prev: list.hash,
        document,
        signatures: list.signatures,
        received_at: 1,
        expires_at: house.clock.now() + 1_000,
        source: digit.repeat(40),
      })
      .execute();
    await db
      .insertInto('outbox_messages')
      .values({
        place: digit.repeat(32),
        node_id: digit.repeat(40),
        channel: 'test',
        id: 'a message',
        body: 'null',
        body_hash: '',
        size: 4,
        created_at: 1,
        expires_at: 2,
        sent_at: null,
        tries: 0,
        next_at: 0,
      })
      .execute();
    const token = { expiresAt: new Date(house.clock.now() + 60_000).toISOString() };
    const { status } = await house.api('POST', '/api/admin/pool/tokens', {
      token: operator,
      trusted: true,
      body: token,
    });
    expect(status).toBe(201);
    await db
      .insertInto('pool_requests')
      .values({
        node_id: digit.repeat(40),
        pool_id: node.pool_id,
        document: '{}',
        signature: '',
        public_key: node.public_key,
        message: '',
        mail_domain: null,
        addresses: '[]',
        requested_at: 1,
        received_at: house.clock.now(),
        source: digit.repeat(40),
        status: 'pending',
        decided_at: null,
        decided_by: null,
        denial: null,
      })
      .execute();
  }
  await fillQuorum(scene);
  await fillFiles(scene);
  await shareFiles(scene, other);
  const alert = { recipientId: owner.memberId, type: 'system_alert', content: 'Twice read, twice not' } as const;
  for (const isRead of [true, true, false, false]) {
    await notified(house, alert);
    if (isRead) await house.api('POST', '/api/social/notifications/read-all', { token: owner.token });
  }
  await fillCalendars(scene);
  await fillContacts(scene);
  await fillBooking(scene);
  await fillInvitations(scene, other);
  await fillSocial(scene);
  await fillMessages(scene, await fillChat(scene));
  return other;
}

const paged = allOperations().filter(isPaged);

// Lists of each service, and pages, have tests of their own that ask both engines.
describe.each(engines)('cursors on %s', (engine) => {
  let scene: Scene;
  let other: HouseMember;
  // Nobody changes it: all that is done with it is to read.
  beforeAll(async () => {
    scene = await openScene(engine);
    other = await fill(scene);
  }, 300_000);
  afterAll(async () => {
    await scene[Symbol.asyncDispose]();
  });

  it(
    'are good for their own list, filter and member, and a 400 everywhere else',
    { tags: 'thorough', timeout: 300_000 },
    async () => {
      const { token } = scene.owner;
      expect(Object.keys(lists).toSorted()).toEqual(paged.map(({ id }) => id).toSorted());
      const requests = paged.flatMap(({ id }) => lists[id]!(scene)).filter((_, at) => at % inStage(3, 3, 1) === 0);
      const cursors = new Map<Request, string>();
      for (const request of requests) {
        const answer = await ask(scene, request, token, { limit: 1 });
        expect([request, answer.status]).toEqual([request, 200]);
        expect([request, typeof replyOf(answer).cursor, replyOf(answer).hasMore]).toEqual([request, 'string', true]);
        cursors.set(request, replyOf(answer).cursor as string);
      }
      // Each with its neighbours; in the last stage each with all of one engine, whose cursors are those of the other one.
      const near = engine === 'postgres' ? 6 : inStage(1, 1, requests.length);
      for (const [at, request] of requests.entries())
        for (const [of, [from, cursor]] of [...cursors].entries()) {
          if (Math.abs(at - of) > near) continue;
          const answer = await ask(scene, request, token, { cursor });
          const expected = request === from ? [200, undefined] : [400, 'INVALID_CURSOR'];
          expect([request, from, answer.status, codeOf(answer.body)]).toEqual([request, from, ...expected]);
        }
      // The ledger is the same for everybody. The other one doesn't know of the vault and the lists, has no booking page, and does not moderate the hub.
      const refused =
        /^\/ledger|\/vaults\/|^\/filevault\/(folders|trash\?|files\/[0-9a-f]{32})|\/(?:conversations|groups|channels)\/|\/(lists|categories|contacts\/books)\/|\/(banned|moderation-log)$|\/appointments\?/;
      for (const request of requests.filter(({ path }) => !refused.test(path))) {
        const answer = await ask(scene, request, other.token, { cursor: cursors.get(request) });
        expect([request, answer.status, codeOf(answer.body)]).toEqual([request, 400, 'INVALID_CURSOR']);
      }
    },
  );

  it('lead through all of a list, which is what comes without them where it comes whole', async () => {
    const { token } = scene.owner;
    for (const { id } of paged)
      for (const request of lists[id]!(scene)) {
        const nameOf = (reply: object) => Object.keys(reply).find((key) => Array.isArray(reply[key as keyof object]))!;
        const whole = replyOf(await ask(scene, request, token, {}));
        // Some lists are a bare array where they come whole.
        const name = nameOf(Array.isArray(whole) ? replyOf(await ask(scene, request, token, { limit: 1 })) : whole);
        const all = Array.isArray(whole) ? whole : whole[name];
        expect([request, whole.hasMore ?? false, whole.cursor ?? undefined]).toEqual([request, false, undefined]);
        const seen: unknown[] = [];
        for (let page: { cursor?: string } = {}; ;) {
          const reply = replyOf(await ask(scene, request, token, { ...page, limit: 1 }));
          expect(reply[name]).toHaveLength(1);
          seen.push(...reply[name]);
          if (!reply.hasMore) break;
          page = { cursor: reply.cursor };
        }
        expect([request, newestFirst.has(id) ? seen.toReversed() : seen]).toEqual([request, all]);
      }
  });

  it('cost a list no more statements for many things than for one', { tags: 'thorough' }, async () => {
    const { token } = scene.owner;
    const statementsFor = async (request: Request, page: object) => {
      const { result, statements } = await ownStatements(async () => await ask(scene, request, token, page));
      expect(result.status).toBe(200);
      return statements.length;
    };
    for (const op of paged)
      for (const request of lists[op.id]!(scene)) {
        const one = await statementsFor(request, { limit: 1 });
        expect(one).toBeGreaterThan(0);
        expect([request, (await statementsFor(request, { limit: mostOf(op) })) <= one]).toEqual([request, true]);
      }
  });
});
