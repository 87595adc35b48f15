import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { onlyRow } from '../../../../src/platform/store/written-query.ts';
import type { Method } from '../../../../src/contract/operation.ts';
import type { ApiAnswer, House } from '../../../support/house.ts';
import { proposed } from '../../../services/quorum/governing.ts';
import { quorumOf } from '../../../services/quorum/scene.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { config } from '../../../support/mail-config.ts';
import { bothEngines, createPostgresDatabase } from '../../../support/stores.ts';
import { withTwoProcessesOn } from '../../../support/two-processes.ts';

interface Ring {
  readonly houses: readonly [House, House];
  readonly members: readonly HouseMember[];
}

/** @returns how many deadlocks PostgreSQL found while `body` ran */
async function deadlocks(body: (ring: Ring) => Promise<void>): Promise<number> {
  await using shared = await createPostgresDatabase({ migrated: true });
  const inRing = async (one: House, other: House): Promise<void> => {
    const members: HouseMember[] = [];
    for (const username of ['ada', 'bob', 'cyd']) members.push(await one.register({ username }));
    await body({ houses: [one, other], members });
  };
  const client = new pg.Client(shared.url);
  await client.connect();
  try {
    // As it comes, each deadlock holds up its transactions for a second.
    await client.query(`alter database ${new URL(shared.url).pathname.slice(1)} set deadlock_timeout = '50ms'`);
    await withTwoProcessesOn(shared.url, inRing, { config });
    // What a connection has counted is in the statistics when it is gone.
    await eventually(async () => {
      const { rows } = await client.query(`select count(*)::int as others from pg_stat_activity
        where datname = current_database() and pid != pg_backend_pid() and backend_type = 'client backend'`);
      expect(rows).toEqual([{ others: 0 }]);
    });
    const { rows } = await client.query<{ found: number }>(
      'select deadlocks::int as found from pg_stat_database where datname = current_database()',
    );
    return onlyRow(rows).found;
  } finally {
    await client.end();
  }
}

type Call = (who: HouseMember, method: Method, path: string, body?: unknown) => Promise<ApiAnswer['body']>;

/** Asks as a member, and throws for a failure. Bytes are sent as they are. */
function callOn(house: House): Call {
  return async ({ token }, method, path, body) => {
    const sent = body instanceof Uint8Array ? { rawBody: Uint8Array.from(body), headers: octets } : { body };
    const answer = await house.api(method, path, { token, ...(body !== undefined && sent) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}
const octets = { 'content-type': 'application/octet-stream' };

/** Does something by each member to the next one, `rounds` times, all at once, in turn over the houses. */
async function around(
  { houses, members }: Ring,
  rounds: number,
  act: (call: Call, from: HouseMember, to: HouseMember, other: HouseMember) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: rounds * members.length }, async (_, at) => {
      const [from, to, other] = [0, 1, 2].map((step) => members[(at + step) % members.length]!);
      await act(callOn(houses[at % houses.length]!), from!, to!, other!);
    }),
  );
}

const password = 'a master password of a ring';

const rings: readonly (readonly [what: string, walk: (ring: Ring) => Promise<void>])[] = [
  [
    'mail with attachments, which is read and deleted meanwhile',
    async (ring) => {
      const mailbox = ({ username }: HouseMember) => ({ localPart: username, domain: config.mail.domain });
      const labels = ['one', 'two'];
      await around(ring, 2, async (call, from, to, other) => {
        const { data } = await call(from, 'POST', '/api/emails/uploads', Buffer.from('attached'));
        const message = { from: mailbox(from), to: [to, other].map(mailbox), subject: 'Hello', textBody: 'Hi.' };
        await call(from, 'POST', '/api/emails', { ...message, attachments: [{ uploadId: data.uploadId }] });
      });
      const [one] = ring.members;
      const call = callOn(ring.houses[0]);
      const { data } = await call(one!, 'GET', '/api/emails/inbox');
      const ids = (data.emails as { id: string }[]).map(({ id }) => id);
      const reading = callOn(ring.houses[1]);
      await Promise.all(
        ids.map(async (id, at) => {
          const path = `/api/emails/${id}`;
          const addLabels = at % 2 === 0 ? labels : labels.toReversed();
          await Promise.all([
            reading(one!, 'POST', `${path}/read`).catch(isUnknown),
            call(one!, 'PATCH', path, { addLabels }).catch(isUnknown),
            at % 2 === 0 && call(one!, 'DELETE', path).catch(isUnknown),
          ]);
        }),
      );
    },
  ],
  [
    'files that are uploaded, shared and destroyed',
    async (ring) => {
      const roots = new Map<HouseMember, { id: string; rootFolderId: string }>();
      const call = callOn(ring.houses[0]);
      for (const member of ring.members)
        roots.set(member, await call(member, 'POST', '/filevault/vaults', { name: 'Home' }));
      for (const member of ring.members) {
        const path = `/filevault/acl/folder/${roots.get(member)!.rootFolderId}`;
        const { entries } = await call(member, 'GET', path);
        const others = ring.members.filter((one) => one !== member);
        const more = others.map(({ memberId: principalId }) => ({ principalId, level: 'editor' }));
        await call(member, 'PUT', path, { entries: [...entries, ...more] });
      }
      await around(ring, 1, async (asking, from, to, other) => {
        const { id: vaultContainerId, rootFolderId: targetFolderId } = roots.get(to)!;
        const fileName = `by ${from.username} ${Math.trunc(performance.now() * 1000)}.txt`;
        const begun = await asking(from, 'POST', '/filevault/upload/init', {
          fileName,
          mimeType: 'text/plain',
          totalSizeBytes: 4,
          targetFolderId,
          vaultContainerId,
        });
        await asking(from, 'PUT', `/filevault/upload/${begun.sessionId}/chunk/0`, Buffer.from('text'));
        const { fileId } = await asking(from, 'POST', `/filevault/upload/${begun.sessionId}/finalize`, {});
        await asking(to, 'POST', '/filevault/share/internal', { fileId, recipientId: other.memberId });
        await asking(to, 'POST', `/filevault/destroy/${fileId}`, {});
      });
    },
  ],
  [
    'follows, posts that mention each other, and likes',
    async (ring) => {
      const posts = new Map<HouseMember, string>();
      await around(ring, 1, async (call, from, to, other) => {
        await call(from, 'POST', `/api/social/users/${to.memberId}/follow`, {});
        const content = `@${other.username} and @${to.username}`;
        posts.set(from, (await call(from, 'POST', '/api/social/posts', { content })).data['_id'] as string);
      });
      await around(ring, 1, async (call, from, to, other) => {
        await Promise.all([
          call(to, 'POST', `/api/social/users/${from.memberId}/follow`, {}),
          ...[to, other].map((one) => call(from, 'POST', `/api/social/posts/${posts.get(one)}/like`, {})),
          call(from, 'POST', '/api/social/posts', { content: `@${to.username}`, parentPostId: posts.get(to) }),
        ]);
      });
      await around(ring, 1, async (call, from, to) => {
        // One of the two comes first, and is unknown to the other one then.
        const block = async (one: HouseMember, other: HouseMember) =>
          await call(one, 'POST', `/api/social/users/${other.memberId}/block`, {}).catch(isUnknown);
        await Promise.all([block(from, to), block(to, from)]);
      });
    },
  ],
  [
    'password vaults that are shared, with attachments',
    async (ring) => {
      await around(ring, 1, async (call, from, to, other) => {
        const { data } = await call(from, 'POST', '/api/passvault/vaults', { name: 'Home', masterPassword: password });
        const vault = `/api/passvault/vaults/${data.vault.id}`;
        await call(from, 'POST', `${vault}/share`, { recipientMemberIds: [to.memberId, other.memberId] });
        const made = await call(from, 'POST', `${vault}/entries`, { type: 'login', title: 'A login' });
        const path = `${vault}/entries/${made.data.entry.id}/attachments`;
        await Promise.all(
          [to, other].map(async (one) => {
            await call(one, 'POST', `${vault}/open`, { masterPassword: one.password });
            const attached = { filename: `${one.username}.txt`, content: 'aGVsbG8=' };
            await call(one, 'POST', path, attached);
          }),
        );
      });
    },
  ],
  [
    'votes of the quorum, with alerts meanwhile',
    async ({ houses }) => {
      const [one, other] = houses;
      const scene = await quorumOf(one, await one.administrator(), 3);
      const proposals: { id: string }[] = [];
      for (const person of scene.people)
        proposals.push(await proposed(scene, person, 'CHANGE_THRESHOLD', { threshold: 3 }));
      const calls = [callOn(one), callOn(other)];
      await Promise.all(
        proposals.map(async ({ id }, at) => {
          const votes = scene.people.map(async ({ token }, step) => {
            const body = { decision: step === at ? 'approve' : 'reject' };
            await other.api('POST', `/api/quorum/proposals/${id}/votes`, { token, body });
          });
          const alerts = scene.people.map(async ({ memberId: recipientId }, step) => {
            const alert = { recipientId, type: 'system_alert', content: `Alert ${at} ${step}` };
            await calls[step % 2]!(scene.administrator, 'POST', '/api/social/notifications/system-alert', alert);
          });
          await Promise.all([...votes, ...alerts]);
        }),
      );
    },
  ],
];

/** Another request came first. */
function isUnknown(error: unknown): void {
  expect(String(error)).toMatch(/(EMAIL|MEMBER)_NOT_FOUND/);
}

describe.runIf(bothEngines.includes('postgres'))('members who write to each other in a ring', () => {
  it.each(rings)('have no deadlocks: %s', async (_, walk) => {
    expect(await deadlocks(walk)).toBe(0);
  });
});
