import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;

/** Every documented endpoint of notifications once, with success. Over any fetch-shaped transport. */
export async function runNotificationScenario(
  fetch: Fetch,
  base: string,
  { administrator, member }: Readonly<Record<'administrator' | 'member', HouseMember>>,
): Promise<void> {
  const call = async (method: string, path: string, body?: object, { token } = member): Promise<void> => {
    const response = await fetch(
      new Request(`${base}/api/social/notifications${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  };

  const userId = member.memberId;
  const hours = { enabled: true, startTime: '22:00', endTime: '07:00', timezone: 'Europe/Vienna' };
  const alert = { recipientId: userId, type: 'system_alert', content: 'The node restarts at noon.' };
  await call('PUT', '/preferences', { userId, channelSettings: { email: false }, soundEnabled: true });
  await call('POST', '/preferences/quiet-hours', { userId, ...hours });
  await call('POST', '/preferences/dnd', { userId, enabled: false });
  await call('GET', '/preferences');
  await call('POST', '/system-alert', alert, administrator);
  await call('POST', '/reconnect-reminders', { inactiveDays: 30 }, administrator);
}
