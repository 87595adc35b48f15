import { describe, expect, it } from 'vitest';
import { events } from '../../../src/contract/calendar/events.ts';
import { invitations } from '../../../src/contract/calendar/invitations.ts';
import type { JsonOperation, RawInputOf, ReplyOf } from '../../../src/contract/operation.ts';
import { engines } from '../../support/stores.ts';
import { openMailPool, type MailNode } from '../mail/pool-scene.ts';
import type { Correspondent } from '../mail/scene.ts';
import { runDueJobs } from '../quorum/due-jobs.ts';

const { createEvent } = events;
const { listInvitations, counter, declineCounter } = invitations;

async function done<O extends JsonOperation>(
  node: MailNode,
  operation: O,
  who: Correspondent,
  input: RawInputOf<O>,
): Promise<ReplyOf<O>> {
  const { status, body } = await node.house.perform(operation, input, who.token);
  if (status !== operation.status) throw new Error(`${operation.id}: ${status} ${JSON.stringify(body)}`);
  return body as ReplyOf<O>;
}

describe.each(engines)('other times by mail on %s', (engine) => {
  it('are declined each by itself, although one took the place of another meanwhile', async () => {
    await using mail = openMailPool(engine);
    const nodes = [await mail.open('a'), await mail.open('b')] as const;
    const [a, b] = nodes;
    const [ada, bob] = [await a.join('ada'), await b.join('bob')];
    const later = async (ms: number) => {
      for (const { house } of nodes) house.clock.advance(ms);
      for (const node of nodes) await runDueJobs(node, 'calendar');
      await mail.settled();
      for (const node of nodes) await runDueJobs(node, 'calendar');
    };
    const { event } = await done(a, createEvent, ada, {
      summary: 'Plan',
      dtstart: '2026-03-23T09:00:00',
      dtend: '2026-03-23T10:00:00',
      tzid: 'Europe/Berlin',
      attendees: [{ email: bob.address }],
    });
    await later(31_000);
    const [invited] = (await done(b, listInvitations, bob, {})).invitations;
    const propose = async (hour: number) =>
      await done(b, counter, bob, {
        eventId: invited!.id,
        proposedStart: `2026-03-23T${hour}:00:00`,
        proposedEnd: `2026-03-23T${hour + 1}:00:00`,
      });
    const proposed = async (node: MailNode, who: Correspondent) =>
      (await done(node, listInvitations, who, {})).proposals.map(({ proposedStart }) => proposedStart.slice(11, 13));
    await propose(15);
    await later(31_000);
    expect([await proposed(a, ada), await proposed(b, bob)]).toEqual([['15'], ['15']]);
    // The organizer has not heard of the second one, and declines the first one later than that was made.
    await propose(17);
    for (const { house } of nodes) house.clock.advance(5_000);
    const [first] = (await done(a, listInvitations, ada, {})).proposals;
    await done(a, declineCounter, ada, { eventId: event.id, counterProposalId: first!.id });
    await later(40_000);
    expect([await proposed(a, ada), await proposed(b, bob)]).toEqual([['17'], ['17']]);
    const [second] = (await done(a, listInvitations, ada, {})).proposals;
    await done(a, declineCounter, ada, { eventId: event.id, counterProposalId: second!.id });
    await later(31_000);
    expect([await proposed(a, ada), await proposed(b, bob)]).toEqual([[], []]);
  });
});
