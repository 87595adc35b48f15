import { describe, expect, it } from 'vitest';
import { members } from '../../../src/contract/accounts/members.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';
import { ask, call, contents, heard, refusal } from './notifying.ts';

describe.each(engines)('system alerts on %s', (engine) => {
  it('are sent by administrators to any member, by name', async () => {
    await using house = await openHouse(engine);
    const administrator = await house.administrator();
    const ann = await house.register();
    await house.perform(members.confirmEmail, { memberId: ann.memberId }, administrator.token);
    const alert = { recipientId: ann.email.toUpperCase(), type: 'security_alert', content: 'Change your password.' };
    const { status, body } = await call(house, administrator, 'POST', '/system-alert', alert);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'success',
      message: 'Alert sent',
      data: {
        recipientId: ann.memberId,
        type: 'security_alert',
        category: 'system',
        content: alert.content,
        isRead: false,
      },
    });
    expect(body.data).not.toHaveProperty('actorId');
    expect(await ask(house, ann, 'GET', '')).toMatchObject({ notifications: [body.data] });
    expect(heard(house, ann)[0]).toEqual(['notification:new', { notification: body.data }]);
    // An administrator is notified by the node and not by themselves.
    await ask(house, administrator, 'POST', '/system-alert', { ...alert, recipientId: administrator.username });
    expect(await contents(house, administrator)).toEqual([alert.content]);
  });

  it('are refused to others, for unknown members, and for those who do not want them', async () => {
    await using house = await openHouse(engine);
    const administrator = await house.administrator();
    const [ann, bob] = [await house.register(), await house.register()];
    const alert = { recipientId: ann.username, type: 'system_alert', content: 'The node restarts.' };
    expect(refusal(await call(house, bob, 'POST', '/system-alert', alert))).toEqual([
      '403 FORBIDDEN',
      'Your role does not allow this.',
    ]);
    const send = async (more: object) =>
      refusal(await call(house, administrator, 'POST', '/system-alert', { ...alert, ...more }));
    expect(await send({ recipientId: 'nobody' })).toEqual(['404 MEMBER_NOT_FOUND', 'There is no such member.']);
    expect(await send({ type: 'like' })).toEqual([
      '400 VALIDATION_ERROR',
      'type: must be one of system_alert, security_alert, feature_announcement',
    ]);
    expect(await send({ content: '' })).toEqual(['400 VALIDATION_ERROR', 'content: must not be empty']);
    expect(await send({ content: 'x'.repeat(1_001) })).toEqual([
      '400 VALIDATION_ERROR',
      'content: must be at most 1000 characters',
    ]);
    await ask(house, ann, 'PUT', '/preferences', {
      categorySettings: { system: { enabled: false, channels: ['in_app'] } },
    });
    expect(await send({})).toEqual([
      '409 NOTIFICATION_UNWANTED',
      `${ann.username} has switched off notifications of the category system. Tell them in another way.`,
    ]);
    expect(await contents(house, ann)).toEqual([]);
    expect(house.happened).toEqual([]);
  });
});
