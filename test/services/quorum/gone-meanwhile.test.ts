import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { engines } from '../../support/stores.ts';
import { decided, proposed, voting } from './governing.ts';
import { openQuorum, type Person, type QuorumScene } from './scene.ts';
import { sealed } from './sealing.ts';
import { state } from './unchanged.ts';
import { inStage } from '../../support/stage.ts';

/** What a decision leaves whether or not it could be carried out. */
const records = new Set(['quorum_proposals', 'quorum_votes', 'quorum_audit', 'quorum_verified_rows']);

/** All rows of the quorum that a decision may change when it is carried out. */
async function effects(scene: QuorumScene) {
  const { rows, blocks, storage } = await state(scene);
  return { rows: rows.filter(([table]) => !records.has(table)), blocks, storage };
}

describe.each(engines)('a decision about what is gone by then on %s', (engine) => {
  it('fails with the reason, and changes nothing', { tags: 'thorough' }, async () => {
    await using scene = await openQuorum(engine, 7);
    const [ann, bob, cyd, dan, eve, fay] = scene.people as [Person, Person, Person, Person, Person, Person];
    const voters = [ann, bob];
    const newKey = toHex(generateKeyPair().publicKey);
    const formerKey = { name: 'Back', publicKey: toHex(eve.keys.publicKey) };
    await scene.ask('DELETE', `/members/${fay.id}`);
    await decided(scene, 'BAN_MEMBER', { memberId: fay.id, reason: 'Away' }, voters);
    const { id: documentId } = await sealed(scene, { creatorId: ann.memberId, holders: [ann, bob] });
    await decided(scene, 'REGISTER_ALIAS', { aliasName: 'gone', identity: { name: 'A' } }, voters);

    const cases: readonly (readonly [type: string, payload: object, reason: string])[] = [
      ['ADD_MEMBER', { name: 'New', publicKey: newKey }, 'The key is that of the member'],
      ['REMOVE_MEMBER', { memberId: cyd.id }, `The quorum has no member ${cyd.id}.`],
      ['CHANGE_THRESHOLD', { threshold: 6 }, 'must be from 2 to the number of members, 4'],
      ['CHANGE_INNER_QUORUM', { memberIds: [ann.id, cyd.id] }, `The quorum has no member ${cyd.id}.`],
      ['BAN_MEMBER', { memberId: dan.id, reason: 'Twice' }, `The member ${dan.id} is banned already.`],
      ['UNBAN_MEMBER', { memberId: fay.id }, `The quorum has not banned the member ${fay.id}.`],
      ['UNSEAL_DOCUMENT', { documentId }, 'There is no such document.'],
      ['RESHARE_DOCUMENT', { documentId }, 'There is no such document.'],
      ['REGISTER_ALIAS', { aliasName: 'taken', identity: { name: 'B' } }, 'The alias taken is not available.'],
      ['DEREGISTER_ALIAS', { aliasName: 'gone' }, 'There is no alias gone.'],
      ['IDENTITY_DISCLOSURE', { aliasName: 'gone' }, 'There is no alias gone.'],
      ['TRANSITION_TO_QUORUM_MODE', {}, 'The quorum has left bootstrap mode already.'],
    ];
    const waiting: { readonly id: string; readonly reason: string }[] = [];
    const wait = async (type: string, payload: object, reason: string): Promise<void> => {
      const { id } = await proposed(scene, ann, type, payload);
      await voting(scene, ann, id);
      waiting.push({ id, reason });
    };
    for (const one of cases) await wait(...one);

    await scene.ask('POST', '/members', { name: 'First', publicKey: newKey });
    await scene.ask('DELETE', `/members/${cyd.id}`);
    await scene.ask('DELETE', `/documents/${documentId}`, undefined, ann.token);
    const done: readonly (readonly [type: string, payload: object])[] = [
      ['UNBAN_MEMBER', { memberId: fay.id }],
      ['BAN_MEMBER', { memberId: dan.id, reason: 'Once' }],
      ['REGISTER_ALIAS', { aliasName: 'taken', identity: { name: 'C' } }],
      ['DEREGISTER_ALIAS', { aliasName: 'gone' }],
      ['REMOVE_MEMBER', { memberId: eve.id }],
    ];
    for (const [type, payload] of done) expect((await decided(scene, type, payload, voters)).status).toBe('executed');
    await wait('ADD_MEMBER', formerKey, 'The quorum has banned this key, account or e-mail address.');
    for (const [type, payload] of [
      ['BAN_MEMBER', { memberId: eve.id, reason: 'Away' }],
      ['TRANSITION_TO_QUORUM_MODE', {}],
    ] as const)
      expect((await decided(scene, type, payload, voters)).status).toBe('executed');

    const before = await effects(scene);
    for (const { id, reason } of waiting) {
      const { proposal } = (await voting(scene, bob, id)).body;
      expect([proposal.actionType, proposal.status, proposal.reason]).toEqual([
        proposal.actionType,
        'failed',
        expect.stringContaining(reason),
      ]);
      expect(proposal).not.toHaveProperty('executedAt');
      // All of them have to leave what was there before the first one, so it shows after the last one as well.
      if (inStage(false, false, true) || id === waiting.at(-1)?.id)
        expect([proposal.actionType, await effects(scene)]).toEqual([proposal.actionType, before]);
    }
  });
});
