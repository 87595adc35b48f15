import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testRandom } from '../support/seeded.ts';
import { openMailWorld, type MailWorld, type Person } from './mail-world.ts';
import { patience } from './pool-world.ts';
import { slowly, someMoment, staysSo } from '../support/real-time.ts';

const MESSAGES = 500;
const AT_ONCE = 8;

// Where there are no namespaces, who connects is read from /proc; see links.ts.
describe.runIf(process.platform === 'linux')('mail between nodes that run', { tags: 'needs-system' }, () => {
  let mail: MailWorld;
  let ada: Person;
  let bob: Person;

  beforeAll(async () => {
    mail = await openMailWorld('a', 'b', 'c');
  }, 600_000);

  afterAll(async () => await mail[Symbol.asyncDispose](), 120_000);

  const arrives = async (id: string) =>
    await expect.poll(async () => await mail.outcome(ada, id), patience).toBe('DELIVERED');

  it('waits for a node that is off, and says so until it is back', async () => {
    await mail.unite();
    ada = await mail.join('a', 'ada');
    bob = await mail.join('b', 'bob');
    const at = await mail.send(ada, bob, 'now');
    await arrives(at.id);
    await mail.world.node('b').stop();
    const { id } = await mail.send(ada, bob, 'later');
    await staysSo(async () => expect(['PENDING', 'IN_TRANSIT']).toContain(await mail.outcome(ada, id)), 2_000);
    // The sender may be off as well in the meantime.
    await mail.world.node('a').kill();
    await mail.world.node('a').start();
    expect(['PENDING', 'IN_TRANSIT']).toContain(await mail.outcome(ada, id));
    await mail.world.node('b').start();
    await arrives(id);
    expect(await mail.inbox(bob)).toEqual(['later', 'now']);
  }, 600_000);

  it('arrives once each, however often both sides are killed in a burst', async () => {
    const random = testRandom();
    const before = await mail.inbox(bob);
    const sent: { subject: string; id: string }[] = [];
    let next = 0;
    const worker = async () => {
      for (let number = next++; number < MESSAGES; number = next++) {
        const subject = `burst ${String(number).padStart(4, '0')}`;
        sent.push({ subject, id: (await mail.send(ada, bob, subject)).id });
      }
    };
    let over = false;
    const kill = async () => {
      for (const name of ['b', 'a', 'b', 'a', 'b']) {
        await someMoment(500 + random() * 1_500);
        if (over && name === 'a') continue;
        await mail.world.node(name).kill();
        await someMoment(random() * 500);
        await mail.world.node(name).start();
      }
    };
    const working = Promise.all(Array.from({ length: AT_ONCE }, worker)).then(() => (over = true));
    await Promise.all([working, kill()]);
    expect(sent).toHaveLength(MESSAGES);
    const open = new Map(sent.map(({ id, subject }) => [id, subject]));
    const stillOpen = async () => {
      for (const id of open.keys()) {
        const outcome = await mail.outcome(ada, id);
        if (outcome === 'DELIVERED') open.delete(id);
        else if (outcome.startsWith('FAILED')) throw new Error(`${open.get(id)}: ${outcome}`);
        else break;
      }
      return open.size;
    };
    await expect.poll(stillOpen, patience).toBe(0);
    const wanted = [...before, ...sent.map(({ subject }) => subject)].toSorted();
    expect((await mail.inbox(bob)).toSorted()).toEqual(wanted);
    expect(await mail.world.node('a').log()).not.toMatch(/unexpected error|unhandled/i);
    expect(await mail.world.node('b').log()).not.toMatch(/unexpected error|unhandled/i);
  }, 900_000);

  it('goes to the node that the list names when it leaves, and fails when there is none', async () => {
    const { world } = mail;
    const cy = await mail.join('c', 'bob');
    const before = await mail.inbox(bob);
    await world.node('b').kill();
    const moved = await mail.send(ada, bob, 'to whom it concerns');
    // Without the sender's server: between the two there is no node of the domain, and what it sends then fails at once.
    await world.node('a').stop();
    await world.must('a', 'admin', 'nodes', 'update', world.id('b'), '--mail-domain', 'old.example');
    await world.must('a', 'admin', 'nodes', 'update', world.id('c'), '--mail-domain', 'b.example');
    await world.node('a').start();
    await world.agree('a', 'c');
    await arrives(moved.id);
    expect(await mail.inbox(cy)).toEqual(['to whom it concerns']);
    await world.node('b').start();
    await world.agree('a', 'b', 'c');
    expect(await mail.inbox(bob)).toEqual(before);

    await world.node('c').kill();
    const { id } = await mail.send(ada, bob, 'too late');
    await world.must('a', 'admin', 'nodes', 'remove', world.id('c'), '--yes');
    await expect.poll(async () => await mail.outcome(ada, id), patience).toBe('FAILED NO_ROUTE');
  }, 600_000);

  it('is nowhere twice when the node of the recipient runs twice, and what the sender shows is true', async () => {
    const { world } = mail;
    await world.must('a', 'admin', 'nodes', 'update', world.id('b'), '--mail-domain', 'b.example');
    await world.agree('a', 'b');
    const before = await mail.inbox(bob);
    await world.node('b').stop();
    const copy = join(world.folder, 'copy-of-b');
    await world.node('b').backUp(copy);
    await world.node('b').start();
    await world.add('twin', copy);
    const sent: { id: string; subject: string }[] = [];
    for (let number = 0; number < 20; number += 1) {
      const subject = `twin ${String(number).padStart(2, '0')}`;
      sent.push({ subject, id: (await mail.send(ada, bob, subject)).id });
      await slowly(200);
    }
    const fresh = async (place: string) => {
      const subjects = (await mail.inbox(bob, place)).filter((subject) => !before.includes(subject));
      expect(subjects).toEqual([...new Set(subjects)]);
      return subjects;
    };
    const twins = await fresh('twin');
    await world.node('twin').kill();
    // Both may have noticed that the node runs twice; then neither signs what became of messages until one is recovered.
    await world.node('b').stop();
    const recovered = await world.node('b').run('node', 'recover', '--yes');
    if (recovered.exitCode !== 0) expect(recovered.stderr).toContain('NODE_NOT_STOPPED');
    await world.node('b').start();
    await arrives((await mail.send(ada, bob, 'after the recovery')).id);
    const untrue = async () => {
      const there = new Set([...(await fresh('b')), ...twins]);
      const shown = await Promise.all(
        sent.map(async ({ id, subject }) => [subject, await mail.outcome(ada, id)] as const),
      );
      return shown.filter(([subject, outcome]) => there.has(subject) !== (outcome === 'DELIVERED'));
    };
    await expect.poll(untrue, patience).toEqual([]);
  }, 600_000);
});
