import { describe, expect, it } from 'vitest';
import { ownStatements } from '../../support/own-statements.ts';
import { bothEngines } from '../../support/stores.ts';
import { openChat } from './scene.ts';

describe.each(bothEngines)('the list of conversations on %s', (engine) => {
  it('has the newest activity first, in pages, with as many statements for many as for few', async () => {
    await using scene = await openChat(engine);
    const { house, ann, bob, cleo } = scene;
    const others = [bob, cleo, await house.register(), await house.register()];
    for (const other of others) await scene.say(other, ann, `From ${other.username}`);
    await scene.say(ann, bob, '  Two\n lines ');
    const all = await scene.ask(ann, 'GET', '');
    expect(all.items.map(({ lastMessagePreview }: { lastMessagePreview: string }) => lastMessagePreview)).toEqual([
      'Two lines',
      `From ${others[3]!.username}`,
      `From ${others[2]!.username}`,
      'From cleo',
    ]);
    expect(all).toMatchObject({ cursor: null, hasMore: false, items: [{ unread: 0 }, { unread: 1 }, {}, {}] });
    const first = await scene.ask(ann, 'GET', '?limit=3');
    const second = await scene.ask(ann, 'GET', `?limit=3&cursor=${first.cursor}`);
    expect([...first.items, ...second.items]).toEqual(all.items);
    const few = await ownStatements(async () => await scene.ask(ann, 'GET', '?limit=1'));
    const many = await ownStatements(async () => await scene.ask(ann, 'GET', ''));
    expect(many.statements.length).toBe(few.statements.length);
    // A cursor is good for one member only.
    expect((await scene.call(bob, 'GET', `?cursor=${first.cursor}`)).status).toBe(400);
  });
});
