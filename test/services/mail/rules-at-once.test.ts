import { describe, expect, it } from 'vitest';
import { bothEngines } from '../../support/stores.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

const named = (names: readonly string[]) =>
  names.map((name) => ({ name, conditions: { subject: name }, actions: { markRead: true } }));

async function put(scene: MailScene, who: Correspondent, names: readonly string[]): Promise<string[]> {
  const { body } = await scene.ask(who, 'PUT', '/rules', { rules: named(names) }, 200);
  return body.data.rules.map(({ name }: { name: string }) => name);
}

describe.each(bothEngines)('rules that are set twice at once, on %s', (engine) => {
  it.each([[[]], [['Before', 'Last', 'More', 'Another']]])(
    'are those of one of both, whole, after %j',
    async (before) => {
      await using scene = await openMail(engine);
      const ann = await scene.join('ann');
      await put(scene, ann, before);
      const one = ['A', 'B', 'C'];
      const other = ['X', 'Y'];
      const comes = async () => expect(await put(scene, ann, other)).toEqual(other);
      // Only on PostgreSQL do transactions run at once.
      const came = engine === 'postgres' ? scene.house.within(comes) : scene.house.meanwhile(comes);
      expect(await put(scene, ann, one)).toEqual(one);
      expect(came()).toBeDefined();
      for (let round = 0; round < 5; round += 1) {
        const said = await Promise.all([put(scene, ann, one), put(scene, ann, other), put(scene, ann, one)]);
        expect(said).toEqual([one, other, one]);
        const { body } = await scene.ask(ann, 'GET', '/rules', undefined, 200);
        const listed = body.data.rules.map(({ name }: { name: string }) => name);
        expect([one, other]).toContainEqual(listed);
        const rows = await scene.house.ctx.db.selectFrom('mail_rules').select('place').orderBy('place').execute();
        expect(rows.map(({ place }) => place)).toEqual(listed.map((_: string, place: number) => place));
      }
    },
  );
});
