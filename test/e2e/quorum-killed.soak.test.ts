import { describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/contract/quorum/audit.ts';
import type { DocumentMetadata } from '../../src/contract/quorum/documents.ts';
import { testRandom } from '../support/seeded.ts';
import { createPostgresDatabase, engines, temporaryFolder } from '../support/stores.ts';
import { rounds } from '../support/stage.ts';
import { burst, finishSessions, nothingTold, reshare, seal, type Parties, type Told } from './quorum-burst.ts';
import { foundQuorum, startQuorumServer, type QuorumServer } from './quorum-server.ts';

const KILLS = rounds(2, 5);

/** All pages of a list. */
async function listed<T>(server: QuorumServer, name: string, token: string, path = name): Promise<T[]> {
  const all: T[] = [];
  for (let cursor = ''; ;) {
    const page = await server.ask('GET', `/${path}?limit=100${cursor}`, token);
    all.push(...page[name]);
    if (page.cursor === undefined) return all;
    cursor = `&cursor=${page.cursor}`;
  }
}

async function assertDocuments(server: QuorumServer, { administrator, people }: Parties, { sealed, sent }: Told) {
  const documents = await listed<DocumentMetadata>(server, 'documents', administrator.token);
  const opened = new Map<string, string>();
  for (const { id, memberIds } of documents) {
    const memberCredentials = people
      .filter((person) => memberIds.includes(person.id))
      .slice(-2)
      .map(({ id: memberId, mnemonic }) => ({ memberId, mnemonic }));
    const body = { memberCredentials };
    const { document } = await server.ask('POST', `/documents/${id}/unseal`, administrator.token, body);
    opened.set(id, document);
  }
  for (const [id, content] of sealed) expect([id, opened.get(id)]).toEqual([id, content]);
  // One that nobody heard of is whole, or is not there; and none is there twice.
  for (const content of opened.values()) expect(sent).toContain(content);
  expect(new Set(opened.values()).size).toBe(opened.size);
}

interface Governed {
  readonly id: string;
  readonly status: string;
  readonly actionPayload: { readonly publicKey: string };
}

async function assertProposals(server: QuorumServer, { administrator: { token } }: Parties, { proposals }: Told) {
  const all = await listed<Governed>(server, 'proposals', token);
  const members = await listed<{ publicKey: string }>(server, 'members', token);
  const epochs = await listed<{ proposalId?: string }>(server, 'epochs', token);
  for (const { id, status, actionPayload } of all) {
    const { votes } = await server.ask('GET', `/proposals/${id}`, token);
    const voters = votes.map(({ voterMemberId }: { voterMemberId: string }) => voterMemberId);
    const done = {
      members: members.filter(({ publicKey }) => publicKey === actionPayload.publicKey).length,
      epochs: epochs.filter(({ proposalId }) => proposalId === id).length,
      isExecuted: voters.length >= 2,
    };
    const times = status === 'executed' ? 1 : 0;
    expect([id, done]).toEqual([id, { members: times, epochs: times, isExecuted: times === 1 }]);
    expect(['executed', 'pending']).toContain(status);
    const known = proposals.get(id);
    expect(voters).toEqual(expect.arrayContaining([...(known?.voters ?? [])]));
    if (known?.isExecuted === true) expect([id, status]).toEqual([id, 'executed']);
  }
  const ids = new Set(all.map(({ id }) => id));
  for (const id of proposals.keys()) expect(ids).toContain(id);
}

async function assertSessions(server: QuorumServer, { people: [ann] }: Parties, told: Told) {
  for (const { ticket, givers, isDone } of told.sessions.values()) {
    const path = `/documents/${ticket.documentId}/unseal-sessions/${ticket.sessionId}`;
    const { session } = await server.ask('GET', path, ann!.token);
    const given = session.contributions as { memberId: string; encryptedShare?: string }[];
    expect(given.map(({ memberId }) => memberId)).toEqual(expect.arrayContaining([...givers]));
    // It may have ended although nobody heard of it, but then with all its shares.
    expect(isDone ? ['completed'] : givers.size < 2 ? ['open'] : ['open', 'completed']).toContain(session.status);
    const isOpen = session.status === 'open';
    for (const { encryptedShare } of given) expect(encryptedShare !== undefined).toBe(isOpen);
  }
  if (told.reshare === undefined) return;
  const { ticket, isDealt, confirmed } = told.reshare;
  const path = `/documents/${ticket.documentId}/reshares/${ticket.reshareId}`;
  const { reshare: shown } = await server.ask('GET', path, ann!.token);
  const stages =
    confirmed.size >= 2 ? ['done'] : isDealt ? ['confirming', 'done'] : ['collecting', 'confirming', 'done'];
  expect(stages).toContain(shown.status);
  if (shown.status === 'confirming') expect(shown.confirmedBy).toEqual(expect.arrayContaining([...confirmed]));
}

/** What happened is on record, and what is on record happened. */
async function assertTrail(server: QuorumServer, { administrator: { token } }: Parties) {
  expect((await server.ask('GET', '/audit/verify', token)).verification).toMatchObject({ valid: true, faults: [] });
  const records = await listed<AuditRecord>(server, 'records', token, 'audit');
  const subjects = (of: string) =>
    records.flatMap(({ action, subject }) => (action === of ? [subject] : [])).toSorted();
  const documents = await listed<DocumentMetadata>(server, 'documents', token);
  const proposals = await listed<Governed>(server, 'proposals', token);
  const executed = proposals.filter(({ status }) => status === 'executed');
  const named = (kind: string, all: readonly { readonly id: string }[]) =>
    all.map(({ id }) => `${kind}/${id}`).toSorted();
  expect(subjects('DOCUMENT_SEALED')).toEqual(named('document', documents));
  expect(subjects('PROPOSAL_EXECUTED')).toEqual(named('proposal', executed));
  const generations = documents.reduce((sum, { generation }) => sum + generation - 1, 0);
  expect(subjects('DOCUMENT_RESHARED')).toHaveLength(generations);
}

describe.each(engines)('a server that is killed on %s', (engine) => {
  it(
    'knows all that it answered, has done nothing by half, and goes on with the same re-sharing',
    { timeout: 400_000 },
    async () => {
      await using folder = await temporaryFolder();
      await using database = engine === 'postgres' ? await createPostgresDatabase({ migrated: true }) : undefined;
      const env = { CONCLAVE_RATE_LIMITS: 'off', ...(database && { CONCLAVE_DATABASE: database.url }) };
      const place = { dataDir: folder.path, env };
      const founded = await foundQuorum(place, 4);
      const told = nothingTold();
      const random = testRandom();
      const lives = async (server: QuorumServer): Promise<void> => {
        server.killAfter(20 + Math.floor(random() * 60));
        await burst(server, parties, told);
      };
      let parties: Parties;
      let opened = 0;
      {
        await using server = await startQuorumServer(place);
        const [read, moved] = [await seal(server, founded, told), await seal(server, founded, told)];
        parties = { ...founded, read, moved };
        await lives(server);
      }
      for (let kills = 1; kills <= KILLS; kills += 1) {
        await using server = await startQuorumServer(place);
        await assertDocuments(server, parties, told);
        await assertProposals(server, parties, told);
        await assertSessions(server, parties, told);
        await assertTrail(server, parties);
        for (const content of await finishSessions(server, parties, told)) {
          expect(JSON.parse(Buffer.from(content).toString())).toBe(told.sealed.get(parties.read));
          opened += 1;
        }
        if (kills < KILLS) {
          await lives(server);
          continue;
        }
        await reshare(server, parties, told);
        await assertDocuments(server, parties, told);
      }
      expect([told.reshared > 0, told.proposals.size > 0, opened > 0]).toEqual([true, true, true]);
    },
  );
});
