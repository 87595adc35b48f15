import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

const customProposal = {
  description: 'Paint the door',
  actionType: 'CUSTOM',
  actionPayload: { colour: 'green' },
  expiresAt: '2026-01-20T00:00:00.000Z',
};

/** The life of a quorum: every documented endpoint once, with success. Over any fetch-shaped transport. */
export async function runQuorumScenario(
  fetch: Fetch,
  base: string,
  { administrator, accounts }: { readonly administrator: HouseMember; readonly accounts: readonly HouseMember[] },
): Promise<void> {
  const call = async (method: string, path: string, body?: unknown, token = administrator.token): Promise<Json> => {
    const response = await fetch(
      new Request(`${base}/api/quorum${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    const answer = (await response.json()) as Json;
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };

  const members: Json[] = [];
  const credentials: { memberId: string; mnemonic: string }[] = [];
  for (const { username, email, memberId: accountId } of accounts) {
    const body = { name: username, email, accountId, role: 'keeper' };
    const { member, mnemonic } = await call('POST', '/members', body);
    members.push(member);
    credentials.push({ memberId: member.id as string, mnemonic: mnemonic as string });
  }
  await call('GET', '/members');
  await call('GET', '/status');
  await call('GET', '/epochs/1');
  const memberIds = members.map(({ id }) => id as string);
  const { documentId } = await call('POST', '/documents/seal', { document: { a: 1 }, memberIds });
  await call('GET', '/documents');
  await call('GET', `/documents/${documentId}`);
  await call('GET', `/documents/${documentId}/can-unlock?memberIds=${memberIds.join(',')}`);
  const memberCredentials = credentials.slice(0, 2);
  await call('POST', `/documents/${documentId}/unseal`, { memberCredentials });
  await call('DELETE', `/documents/${documentId}`);
  const { proposal } = await call('POST', '/proposals', customProposal, accounts[0]?.token);
  await call('GET', `/proposals/${proposal.id}`);
  await call('GET', '/aliases/nobody');
  await call('GET', '/aliases');
  await call('GET', '/audit');
  await call('GET', '/audit/verify');
  await call('GET', '/metrics');
  await call('DELETE', `/members/${members.at(-1).id}`);
}
