import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;

/** Every documented endpoint of e-mail once, with success. Over any fetch-shaped transport. @param domain of the node's mailboxes */
export async function runMailScenario(
  fetch: Fetch,
  base: string,
  { ada, bob }: Readonly<Record<'ada' | 'bob', HouseMember>>,
  domain: string,
): Promise<void> {
  const call = async (method: string, path: string, { token }: HouseMember, body?: object) => {
    const response = await fetch(
      new Request(`${base}/api/emails${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
    return ((await response.json()) as any).data;
  };
  const mailbox = ({ username }: HouseMember) => ({ localPart: username, domain, displayName: `The ${username}` });

  const message = {
    from: mailbox(ada),
    to: [mailbox(bob)],
    cc: [mailbox(ada)],
    subject: 'Plans',
    textBody: 'At noon?',
  };
  const { messageId, deliveryStatus } = await call('POST', '', ada, message);
  if (Object.values(deliveryStatus).some((status) => status !== 'DELIVERED')) throw new Error('not delivered');
  const path = `/${encodeURIComponent(messageId)}`;
  const { emails } = await call('GET', `/inbox?memberId=${bob.memberId}&readStatus=unread&searchText=noon`, bob);
  if (emails[0]?.messageId !== messageId) throw new Error('not in the inbox');
  await call('GET', '/inbox/unread-count', bob);
  await call('GET', path, bob);
  await call('GET', `${path}/content`, bob);
  await call('POST', `${path}/read`, bob, {});
  await call('POST', `${path}/reply`, bob, { from: mailbox(bob), replyAll: true, textBody: 'Yes.' });
  await call('POST', `${path}/forward`, bob, { forwardTo: [mailbox(ada)] });
  const { messages } = await call('GET', `${path}/thread`, ada);
  if (messages.length !== 2) throw new Error('the thread is not whole');
  await call('GET', `${path}/delivery-status`, ada);
  await call('DELETE', path, bob);
}
