import { describe, expect, it } from 'vitest';
import { bothEngines } from '../../../support/stores.ts';
import { eventText } from '../../../http/dav/dav-scene.ts';
import { openInvitations } from './invitation-scene.ts';

describe.each(bothEngines)('invitations by programs on %s', (engine) => {
  it('come once to those whom the organizer stores, are answered by storing the copy, and end with the event', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob } = scene;
    const at = await scene.placeOf(ann, 'plan.ics');
    const text = eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob') });
    const made = await scene.put(ann, at, text);
    expect(made).toMatchObject({ status: 201, etag: expect.stringMatching(/^"[0-9a-f]{32}"$/) });
    expect((await scene.dav(ann, 'GET', at)).text).toBe(text);
    const copy = await scene.copyOf(bob);
    expect(copy.event).toMatchObject({ uid: 'plan@x', organizerId: ann.memberId, myPartstat: 'NEEDS-ACTION' });
    expect(await scene.put(ann, at, text)).toMatchObject({ status: 204 });
    expect(await scene.noticesOf(bob)).toEqual(['event_invitation']);
    expect((await scene.copyOf(bob)).event.etag).toBe(copy.event.etag);

    const moved = copy.text.replace('T100000Z', 'T090000Z');
    expect(await scene.put(bob, copy.path, moved)).toMatchObject({
      status: 403,
      preconditions: ['c:allowed-attendee-scheduling-object-change'],
    });
    const accepted = copy.text.replace('PARTSTAT=NEEDS-ACTION', 'PARTSTAT=ACCEPTED');
    expect(await scene.put(bob, copy.path, accepted)).toMatchObject({ status: 204 });
    expect(await scene.noticesOf(ann)).toEqual(['event_reply']);
    expect(await scene.answersIn(ann)).toEqual({ bob: 'ACCEPTED' });
    expect((await scene.copyOf(bob)).event).toMatchObject({ myPartstat: 'ACCEPTED', start: copy.event.start });

    expect((await scene.dav(ann, 'DELETE', at)).status).toBe(204);
    expect((await scene.copyOf(bob)).event.status).toBe('CANCELLED');
    expect(await scene.noticesOf(bob)).toEqual(['event_cancelled', 'event_invitation']);
  });

  it('are declined by deleting the copy, unless the program wants no reply', async () => {
    await using scene = await openInvitations(engine);
    const { ann, bob, cleo } = scene;
    const at = await scene.placeOf(ann, 'plan.ics');
    await scene.put(ann, at, eventText({ uid: 'plan@x', lines: scene.lines('ann', 'bob', 'cleo') }));
    const [his, hers] = [await scene.copyOf(bob), await scene.copyOf(cleo)];
    const silently = { headers: { 'schedule-reply': 'F' } };
    expect((await scene.dav(bob, 'DELETE', his.path, silently)).status).toBe(204);
    expect(await scene.answersIn(ann)).toEqual({ bob: 'NEEDS-ACTION', cleo: 'NEEDS-ACTION' });
    expect((await scene.dav(cleo, 'DELETE', hers.path)).status).toBe(204);
    expect(await scene.answersIn(ann)).toEqual({ bob: 'NEEDS-ACTION', cleo: 'DECLINED' });
    expect(await scene.noticesOf(ann)).toEqual(['event_reply']);
  });
});
