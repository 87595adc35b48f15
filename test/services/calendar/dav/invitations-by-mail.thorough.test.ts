import { describe, expect, it } from 'vitest';
import { accounts } from '../../../../src/contract/accounts.ts';
import { calendars } from '../../../../src/contract/calendar/calendars.ts';
import { invitations } from '../../../../src/contract/calendar/invitations.ts';
import { basic, eventText } from '../../../http/dav/dav-scene.ts';
import { engines } from '../../../support/stores.ts';
import { openMailPool, type MailNode } from '../../mail/pool-scene.ts';
import type { Correspondent } from '../../mail/scene.ts';
import { settle } from '../settle-mail.ts';

/** A program of a member, with the default calendar. */
async function programOf({ house }: MailNode, who: Correspondent) {
  const input = { name: 'Telephone', scopes: ['calendar' as const] };
  const { body } = await house.perform(accounts.createAppPassword, input, who.token);
  const authorization = basic(who.username, body.password);
  const all = await house.perform(calendars.listCalendars, {}, who.token);
  const [{ id }] = all.body.calendars;
  const path = `http://house.test/dav/calendars/${who.memberId}/${id}/plan.ics`;
  return async (method: string, text?: string) => {
    const init = { method, headers: { authorization }, ...(text !== undefined && { body: text }) };
    const answer = await house.fetch(new Request(path, init));
    return { status: answer.status, text: (await answer.text()).replaceAll('\r\n ', '') };
  };
}

describe.each(engines)('what programs store of events with people elsewhere on %s', (engine) => {
  it('is mailed to them, has their answers, and is cancelled by mail', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b')];
    const [ada, bob] = [await a.join('ada'), await b.join('bob')];
    const program = await programOf(a, ada);
    const lines = [
      `ORGANIZER:mailto:${ada.address}`,
      `ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:${bob.address}`,
      'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:x@nowhere.example',
    ];
    const event = (summary: string) => eventText({ uid: 'plan@x', summary, lines });
    expect((await program('PUT', event('Draft'))).status).toBe(201);
    // What is said within half a minute is one message.
    expect((await program('PUT', event('Plan'))).status).toBe(204);
    await settle(mail, a, b);
    const inboxOf = async (node: MailNode, who: Correspondent): Promise<string[]> => {
      const { emails } = await node.ask(who, 'GET', '/inbox');
      return emails.map(({ subject }: { subject: string }) => subject);
    };
    expect(await inboxOf(b, bob)).toEqual(['Invitation: Plan']);
    const waiting = async () => (await b.house.perform(invitations.listInvitations, {}, bob.token)).body.invitations;
    const [invited] = await waiting();
    expect(invited).toMatchObject({ waits: true, summary: 'Plan', organizer: { email: ada.address } });
    const answer = { eventId: invited.id, response: 'ACCEPTED' as const };
    expect((await b.house.perform(invitations.rsvp, answer, bob.token)).status).toBe(200);
    await settle(mail, a, b);
    const { text } = await program('GET');
    const said = (address: string) =>
      text.split('\r\n').find((line) => line.startsWith('ATTENDEE') && line.endsWith(`mailto:${address}`));
    expect(said(bob.address)).toContain('PARTSTAT=ACCEPTED');
    expect(said('x@nowhere.example')).toContain('PARTSTAT=NEEDS-ACTION');
    // A program that hasn't read the answer takes nothing of it away, and nobody is mailed for it.
    expect((await program('PUT', event('Plan'))).status).toBe(204);
    await settle(mail, a, b);
    expect((await program('GET')).text).toContain('PARTSTAT=ACCEPTED');
    expect(await inboxOf(b, bob)).toEqual(['Invitation: Plan']);
    expect((await program('DELETE')).status).toBe(204);
    await settle(mail, a, b);
    expect(await inboxOf(b, bob)).toEqual(['Cancelled: Plan', 'Invitation: Plan']);
  });
});
