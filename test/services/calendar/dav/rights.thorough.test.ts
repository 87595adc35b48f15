import { describe, expect, it } from 'vitest';
import { events } from '../../../../src/contract/calendar/events.ts';
import { depth, document, eventText, openDav, prop, type DavScene } from '../../../http/dav/dav-scene.ts';
import { bothEngines } from '../../../support/stores.ts';

const encoded = (text: string) => new TextEncoder().encode(text);

async function demote({ house }: DavScene, calendarId: string): Promise<void> {
  const row = house.ctx.db.updateTable('calendar_shares').set({ permission: 'viewer' });
  await row.where('calendar_id', '=', calendarId).execute();
}

describe.each(bothEngines)('the right to change a calendar on %s', (engine) => {
  it('has to be there when an event is written, not only when its text begins to come', async () => {
    await using scene = await openDav(engine);
    const { ann, bob, house } = scene;
    const { id } = await scene.calendarOf(ann);
    await scene.share(ann, id, bob, 'editor');
    const authorization = await scene.password(bob, ['calendar']);
    const path = (name: string) => `http://house.test/dav/calendars/${bob.memberId}/${id}/${name}.ics`;
    /** Sends half of an event, and the rest after something has happened. */
    const put = async (name: string, between: () => Promise<void> | void) => {
      const text = eventText({ uid: name, summary: name });
      async function* halves(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
        yield encoded(text.slice(0, 100));
        await between();
        yield encoded(text.slice(100));
      }
      const init = { method: 'PUT', headers: { authorization }, body: ReadableStream.from(halves()), duplex: 'half' };
      const { status } = await house.fetch(new Request(path(name), init as RequestInit));
      return status;
    };
    const titles = async () => {
      const { events: all } = await scene.done(events.listEvents, ann, { calendarId: id });
      return all.map(({ summary }) => summary);
    };
    expect(await put('first', () => undefined)).toBe(201);
    expect(await put('second', async () => await demote(scene, id))).toBe(403);
    await house.ctx.db.updateTable('calendar_shares').set({ permission: 'editor' }).execute();
    // Right before the transaction, when all has been read and prepared.
    let happened: () => boolean = () => false;
    const late = await put('third', () => {
      happened = house.meanwhile(async () => await demote(scene, id));
    });
    expect([late, happened()]).toEqual([403, true]);
    await house.ctx.db.updateTable('calendar_shares').set({ permission: 'editor' }).execute();
    const removing = async () => {
      happened = house.meanwhile(async () => await demote(scene, id));
      const request = new Request(path('first'), { method: 'DELETE', headers: { authorization } });
      return (await house.fetch(request)).status;
    };
    expect([await removing(), happened()]).toEqual([403, true]);
    expect(await titles()).toEqual(['first']);
  });
});

describe('a share that becomes another one', () => {
  it('breaks off an answer that was begun with the one before', async () => {
    await using scene = await openDav('sqljs');
    const { ann, bob, house } = scene;
    const { id } = await scene.calendarOf(ann);
    await scene.share(ann, id, bob, 'editor');
    const own = `/dav/calendars/${ann.memberId}/${id}/`;
    const lines = ['CLASS:CONFIDENTIAL', `DESCRIPTION:${'secret '.repeat(1_000)}`];
    for (let at = 0; at < 20; at += 1) {
      const body = eventText({ uid: `${at}`, lines });
      expect((await scene.dav(ann, 'PUT', `${own}${at}.ics`, { body })).status).toBe(201);
    }
    const authorization = await scene.password(bob, ['calendar']);
    const path = `/dav/calendars/${bob.memberId}/${id}/`;
    // An address may have any host, so each is another one.
    const hrefs = Array.from(
      { length: 200 },
      (_, at) => `<d:href>http://h${at}.test${path}${at % 20}.ics</d:href>`,
    ).join('');
    const body = document('c:calendar-multiget', prop('c:calendar-data') + hrefs);
    /** Reads the beginning of an answer of some 1.4 MB, and the rest after something has happened. */
    const read = async (between: () => Promise<void>) => {
      const request = new Request(`http://house.test${path}`, {
        method: 'REPORT',
        headers: { authorization, ...depth('1') },
        body,
      });
      const answer = await house.fetch(request);
      expect(answer.status).toBe(207);
      const reader = answer.body!.getReader();
      const decoder = new TextDecoder();
      let text = decoder.decode((await reader.read()).value);
      await between();
      house.clock.advance(6_000);
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return text;
        text += decoder.decode(value);
      }
    };
    const whole = await read(async () => undefined);
    expect(whole.match(/DESCRIPTION:secret/g)).toHaveLength(200);
    await expect(read(async () => await demote(scene, id))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await read(async () => undefined)).not.toContain('secret');
  });
});
