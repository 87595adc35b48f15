import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { social } from '../../../src/contract/social.ts';
import { notifications } from '../../../src/contract/notifications.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { notificationEvents } from '../../../src/contract/notifications/events.ts';
import { socialEvents } from '../../../src/contract/social/events.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { said } from './scene.ts';
import { elsewhere, expected, surfaces, toldElsewhere, type Surface } from './visibility-table.ts';
import { kinds, openWorld, viewers, type Kind, type Viewer, type World } from './visibility-world.ts';

describe.each(engines)('checks 2 and 4, who sees posts on %s', (engine) => {
  let world: World;
  beforeAll(async () => void (world = await openWorld(engine)));
  afterAll(async () => await world[Symbol.asyncDispose]());

  async function seenBy(surface: Surface, viewer: Viewer, kind: Kind): Promise<string> {
    const made = world.made[kind];
    const results = new Set<string>();
    for (const { method = 'GET', path, body } of surface.asks(made)) {
      const answer = await world.scene.house.api(method, `/api/social${path}`, {
        token: world.tokenOf(viewer, kind),
        ...(body !== undefined && { body }),
      });
      if (expected(undefined, viewer, kind) === 'hidden')
        expect(JSON.stringify(answer.body), `${path} for ${viewer}`).not.toContain(made.word);
      if (answer.status === 401) results.add('401');
      else if (said(answer) === surface.refusal) results.add('hidden');
      else if (surface.shows === undefined) results.add('seen');
      else if (surface.refusal === undefined && answer.status >= 400)
        results.add([403, 404].includes(answer.status) ? 'hidden' : said(answer));
      else results.add(surface.shows(answer.body.data, made) ? 'seen' : 'hidden');
    }
    return [...results].join(', ');
  }

  // In this order: the last surfaces change what they ask.
  const usual: readonly Kind[] = ['protected', 'in a hub'];
  const others = kinds.filter((kind) => !usual.includes(kind));
  // Before the last stage one surface is asked for all kinds of posts, and each other one for one of two and one of the others in
  // turn, which are the same ones for bookmarks as for what was bookmarked before.
  const askedAt = (at: number): readonly Kind[] =>
    inStage(usual, at === 0 ? kinds : [usual, others].map((some) => some[Math.ceil(at / 2) % some.length]!), kinds);
  // And by half of those who ask for each of the two.
  const askedBy = (at: number, turn: number): readonly Viewer[] =>
    viewers.filter((_, who) => at === 0 || (who + turn + Math.ceil(at / 2)) % inStage(1, 2, 1) === 0);
  const asked = surfaces.flatMap((surface, at) =>
    askedAt(at).map((kind, turn) => [surface.name, kind, surface, askedBy(at, turn)] as const),
  );
  it.each(asked)('%s: %s', async (_, kind, surface, whos) => {
    // Not all posts have a hub.
    if (surface.asks(world.made[kind]).length === 0) return;
    const rows: [Viewer, string, string][] = [];
    for (const viewer of whos)
      rows.push([viewer, await seenBy(surface, viewer, kind), expected(surface, viewer, kind)]);
    const wanted = Object.fromEntries(rows.map(([viewer, , want]) => [viewer, want]));
    expect(Object.fromEntries(rows.map(([viewer, found]) => [viewer, found]))).toEqual(wanted);
  });
});

/** Whether a schema has posts in it, however it is made of others. */
function hasPosts(schema: unknown, known = new Set<unknown>()): boolean {
  if (typeof schema !== 'object' || schema === null || known.has(schema)) return false;
  known.add(schema);
  if ('entries' in schema && 'formattedContent' in (schema.entries as object)) return true;
  return Object.values(schema).some((part) => hasPosts(part, known));
}

describe('the table of surfaces', () => {
  const asked = new Set([...surfaces.flatMap(({ operations }) => operations), ...Object.keys(elsewhere)]);
  const operations = [...Object.values<Operation>(social), ...Object.values<Operation>(notifications)];

  it('has every operation that answers posts', () => {
    const showing = operations.filter((op) => op.form !== 'raw' && hasPosts(op.reply)).map(({ id }) => id);
    expect(showing).toContain('social.home');
    expect(showing.filter((id) => !asked.has(id))).toEqual([]);
  });

  it('has every event of the social network and of notifications', () => {
    const events = [...Object.values(socialEvents), ...Object.values(notificationEvents)].map(({ name }) => name);
    expect(events.toSorted()).toEqual(Object.keys(toldElsewhere).toSorted());
  });

  it.each([...new Set(Object.values(elsewhere))])('names tests that there are: %s', (name) =>
    expect(existsSync(new URL(name, import.meta.url))).toBe(true),
  );

  it.each(Object.entries(toldElsewhere))('names a test that hears %s', async (event, name) => {
    expect(await readFile(new URL(name, import.meta.url), 'utf8')).toContain(`'${event}'`);
  });

  it('has every operation that reads, or writes to a post', () => {
    // Messages have rules, and tests, of their own.
    const reading = operations.filter(
      ({ method, path }) =>
        (method === 'GET' && !path.startsWith('/api/social/messages/')) || path.startsWith('/api/social/posts/:id'),
    );
    expect(reading.map(({ id }) => id).filter((id) => !asked.has(id))).toEqual([]);
  });
});
