import { describe, expect, it } from 'vitest';
import { pool as contract } from '../../../src/contract/pool.ts';
import { mailDomainProblem } from '../../../src/services/node/problems.ts';
import { engines } from '../../support/stores.ts';
import { openMailPool, type MailNode } from './pool-scene.ts';
import type { Correspondent } from './scene.ts';

const subjectsOf = async (node: MailNode, who: Correspondent): Promise<string[]> =>
  (await node.ask(who, 'GET', '/inbox')).emails.map(({ subject }: { readonly subject: string }) => subject);

describe.each(engines)('the mail domain of a node, on %s', (engine) => {
  it('stands in the first access list of its pool, and a node whose domain is in none says so and what to do', async () => {
    await using mail = openMailPool(engine);
    const [a, b] = [await mail.open('a'), await mail.open('b', false)];
    const [ann, bob] = [await a.join('ann'), await b.join('bob')];
    const send = async (node: MailNode, who: Correspondent, to: Correspondent, subject: string) =>
      await node.ask(who, 'POST', '', { from: who.mailbox, to: [to.mailbox], subject, textBody: 'Hello' });
    expect(await mailDomainProblem(a.house.ctx)).toBeUndefined();
    expect(await mailDomainProblem(b.house.ctx)).toBe(
      `The access list of the pool does not name the mail domain b.example for this node, so other nodes cannot send mail to it. Run: conclave admin nodes update ${b.nodeId.slice(0, 6)} --mail-domain b.example`,
    );
    await send(b, bob, ann, 'too early');
    await mail.settled();
    expect(await subjectsOf(a, ann)).toEqual([]);
    await a.house.perform(contract.updateNode, { nodeId: b.nodeId, mailDomain: 'b.example' }, a.boss.token);
    await mail.round();
    expect(await mailDomainProblem(b.house.ctx)).toBeUndefined();
    await send(b, bob, ann, 'there');
    await send(a, ann, bob, 'and back');
    await mail.settled();
    expect(await subjectsOf(a, ann)).toEqual(['there']);
    expect(await subjectsOf(b, bob)).toContain('and back');
  });
});
