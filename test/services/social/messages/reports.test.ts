import { describe, expect, it } from 'vitest';
import { ownStatements } from '../../../support/own-statements.ts';
import { engines } from '../../../support/stores.ts';
import { said } from '../scene.ts';
import { openMessages } from './scene.ts';

describe.each(engines)('reports of messages on %s', (engine) => {
  it('look up nothing about a message but whether it may be read, and so does who forwards one', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo } = scene;
    const id = await scene.group(ann, bob, cleo);
    const { _id } = await scene.say(bob, id, 'Something bad');
    const read = async (path: string, body: object) => {
      const { result, statements } = await ownStatements(
        async () => await scene.at(cleo, 'POST', `/${_id}${path}`, body),
      );
      const count = (table: string) => statements.filter((text) => text.includes(`from ${table}`)).length;
      return [said(result), count('conversation_reactions'), count('member_blocks') > 0];
    };
    expect(await read('/report', { reason: 'Rude' })).toEqual(['200 success', 0, true]);
    // The reactions to the new message.
    expect(await read('/forward', { targetConversationId: id })).toEqual(['200 success', 1, true]);
  });

  it('keep a message as it was, and are read and closed by administrators alone', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const admin = await house.administrator('root');
    const id = await scene.group(ann, bob, cleo);
    const { _id } = await scene.say(bob, id, 'Something bad');
    const report = async (who: typeof ann, reason: unknown = 'Rude', messageId = _id) =>
      await scene.at(who, 'POST', `/${messageId}/report`, { reason });
    const reported = await report(ann);
    expect([reported.status, reported.body]).toEqual([
      200,
      { status: 'success', data: {}, message: 'Message reported' },
    ]);
    const reportedAt = new Date(house.clock.now()).toISOString();
    house.clock.advance(1_000);
    await scene.do(bob, 'PUT', `/${_id}`, { content: 'Something nice' });
    expect(said(await report(ann))).toBe('400 MESSAGE_ALREADY_REPORTED');
    expect((await report(cleo)).status).toBe(200);
    await scene.do(bob, 'DELETE', `/${_id}`);
    expect(said(await report(bob))).toBe('404 MESSAGE_NOT_FOUND');
    const reports = async (query = '') => (await scene.do(admin, 'GET', `/reports${query}`)).reports;
    const [first, second] = await reports();
    expect(first).toEqual({
      _id: first['_id'],
      messageId: _id,
      conversationId: id,
      senderId: bob.memberId,
      reporterId: ann.memberId,
      reason: 'Rude',
      content: 'Something bad',
      status: 'pending',
      createdAt: reportedAt,
    });
    expect(second).toMatchObject({ reporterId: cleo.memberId, content: 'Something nice' });
    // Administrators read what was reported, and nothing else of the conversation.
    expect(said(await scene.at(admin, 'GET', `/conversations/${id}/messages`))).toBe('403 FORBIDDEN');
    for (const who of [ann, bob]) {
      expect(said(await scene.at(who, 'GET', '/reports'))).toBe('403 FORBIDDEN');
      const review = await scene.at(who, 'POST', `/reports/${first['_id']}/review`, { action: 'dismiss' });
      expect(said(review)).toBe('403 FORBIDDEN');
    }
    const review = async (reportId: string, action: unknown) =>
      await scene.at(admin, 'POST', `/reports/${reportId}/review`, { action });
    expect(said(await review(first['_id'], 'other'))).toBe('400 VALIDATION_ERROR');
    expect(said(await review('0'.repeat(32), 'dismiss'))).toBe('404 REPORT_NOT_FOUND');
    expect((await review(first['_id'], 'dismiss')).body).toMatchObject({
      message: 'Report dismissed',
      data: { report: { status: 'dismissed', reviewedBy: admin.memberId, content: 'Something bad' } },
    });
    expect(said(await review(first['_id'], 'action'))).toBe('400 REPORT_CLOSED');
    expect((await review(second['_id'], 'action')).body).toMatchObject({
      message: 'Report actioned',
      data: { report: { status: 'actioned' } },
    });
    expect([await reports(), await reports('?status=dismissed'), await reports('?status=actioned')]).toMatchObject([
      [],
      [{ _id: first['_id'] }],
      [{ _id: second['_id'] }],
    ]);
  });

  it('are made of what one may read, with a reason, again when the last is closed, and have no text when its group is gone', async () => {
    await using scene = await openMessages(engine);
    const { ann, bob, cleo, house } = scene;
    const admin = await house.administrator('root');
    const id = await scene.group(ann, bob, cleo);
    const { _id } = await scene.say(bob, id, 'Something bad');
    const report = async (who: typeof ann, reason: unknown = 'Rude', messageId = _id) =>
      said(await scene.at(who, 'POST', `/${messageId}/report`, { reason }));
    for (const reason of ['', ' \n ', 'x'.repeat(1001), 7, null])
      expect(await report(ann, reason)).toBe('400 VALIDATION_ERROR');
    expect(await report(ann)).toBe('200 success');
    const dan = await house.register();
    for (const messageId of [_id, '0'.repeat(32)])
      expect(await report(dan, 'Rude', messageId)).toBe('404 MESSAGE_NOT_FOUND');
    // What a block hides is not reported.
    await scene.block(cleo, bob);
    expect(await report(cleo)).toBe('404 MESSAGE_NOT_FOUND');
    // A request is, before somebody decides.
    const asked = await scene.request(dan, ann, 'An offer');
    const [offer] = await scene.read(ann, asked);
    expect(await report(ann, 'Spam', offer['_id'])).toBe('200 success');
    expect(await scene.do(dan, 'GET', `/conversations/${asked}`)).toMatchObject({ request: 'pending' });
    const pages = await scene.do(admin, 'GET', '/reports?limit=1');
    expect([pages.hasMore, pages.reports.length]).toEqual([true, 1]);
    const next = await scene.do(admin, 'GET', `/reports?limit=1&cursor=${encodeURIComponent(pages.cursor)}`);
    expect([...pages.reports, ...next.reports].map(({ content }) => content).toSorted()).toEqual([
      'An offer',
      'Something bad',
    ]);
    const ofGroup = [...pages.reports, ...next.reports].find(({ conversationId }) => conversationId === id);
    await scene.do(admin, 'POST', `/reports/${ofGroup['_id']}/review`, { action: 'dismiss' });
    expect(await report(ann)).toBe('200 success');
    for (const who of [ann, bob, cleo]) await scene.do(who, 'DELETE', `/conversations/${id}`);
    await scene.later(0);
    const { reports } = await scene.do(admin, 'GET', '/reports');
    expect(reports.find(({ messageId }: { messageId: string }) => messageId === _id)).toMatchObject({
      content: null,
      reason: 'Rude',
      senderId: bob.memberId,
    });
    // Of the text nothing is stored in clear.
    const stored = await house.ctx.db.selectFrom('conversation_reports').select('sealed').execute();
    for (const { sealed } of stored) expect(Buffer.from(sealed).toString('latin1')).not.toMatch(/bad|offer/);
  });

  it.each(['text', 'key'])('are listed and closed when the %s of one is damaged', async (what) => {
    await using scene = await openMessages(engine);
    const { ann, bob, house } = scene;
    const admin = await house.administrator('root');
    for (const text of ['One', 'Two', 'Three']) {
      const id = await scene.group(ann, bob);
      const { _id } = await scene.say(bob, id, text);
      await scene.do(ann, 'POST', `/${_id}/report`, { reason: `About ${text}` });
      if (text !== 'Two') continue;
      const { db } = house.ctx;
      const damaged = new Uint8Array(60);
      if (what === 'text')
        await db
          .updateTable('conversation_reports')
          .set({ sealed: damaged })
          .where('conversation_id', '=', id)
          .execute();
      else await db.updateTable('room_key_epochs').set({ for_node: damaged }).where('room_id', '=', id).execute();
    }
    const listed = async () => {
      const reports: { reason: string; content: string | null }[] = (await scene.do(admin, 'GET', '/reports')).reports;
      return reports.map(({ reason, content }) => [reason, content]);
    };
    expect(await listed()).toEqual([
      ['About One', 'One'],
      ['About Two', null],
      ['About Three', 'Three'],
    ]);
    const [, damaged] = (await scene.do(admin, 'GET', '/reports')).reports;
    const review = await scene.at(admin, 'POST', `/reports/${damaged['_id']}/review`, { action: 'dismiss' });
    expect(review.body).toMatchObject({ message: 'Report dismissed', data: { report: { content: null } } });
    expect(await listed()).toEqual([
      ['About One', 'One'],
      ['About Three', 'Three'],
    ]);
    expect(house.log.lines.map(({ message }) => message)).toContain('a reported message is damaged');
  });
});
