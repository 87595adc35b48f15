import { events } from '../../src/contract/calendar/events.ts';
import { invitations } from '../../src/contract/calendar/invitations.ts';
import type { HouseMember } from '../support/prepared-member.ts';
import type { Scene } from '../services/passvault/scene.ts';
import type { Request } from './file-lists.ts';
import type { Repeatable } from './repeatable-files.ts';

const root = '/api/cal/invitations';
const times = { dtstart: '2026-03-23T09:00:00Z', dtend: '2026-03-23T10:00:00Z' };

/** Somebody invites the owner of a scene. @returns id of the invitation, which waits: they do not know each other */
async function invite({ house, owner }: Scene, other: HouseMember, summary: string): Promise<string> {
  const attendees = [{ userId: owner.memberId }];
  const { body } = await house.perform(events.createEvent, { summary, ...times, attendees }, other.token);
  const listed = await house.perform(invitations.listInvitations, {}, owner.token);
  return listed.body.invitations.find(({ uid }: { uid: string }) => uid === body.event.uid).id;
}

/** The lists of invitations. */
export const invitationLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'calendar.invitations': () => [{ path: root }, { path: `${root}?status=all` }],
};

/** So that each of them has a second page. */
export async function fillInvitations(scene: Scene, other: HouseMember): Promise<void> {
  for (const summary of ['One', 'Two']) await invite(scene, other, summary);
}

/** The operations of invitations that take a key. */
export const repeatableInvitations: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'calendar.counter': async (scene) => ({
    path: `${root}/counter`,
    body: {
      eventId: await invite(scene, await scene.house.register(), 'Once'),
      proposedStart: '2026-03-23T12:00:00Z',
      proposedEnd: '2026-03-23T13:00:00Z',
    },
    count: async () => (await scene.house.ctx.db.selectFrom('calendar_proposals').select('id').execute()).length,
    effects: 1,
  }),
};
