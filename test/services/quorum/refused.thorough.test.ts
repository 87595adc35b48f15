import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../src/crypto/key-pair.ts';
import { linkStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { inStage } from '../../support/stage.ts';
import { engines } from '../../support/stores.ts';
import { decided, proposed, proposing, signedVote, voting } from './governing.ts';
import { openQuorum, type Person, type QuorumScene } from './scene.ts';
import { sealed } from './sealing.ts';
import { refusedBy } from './unchanged.ts';

const nobody = 'ab'.repeat(12);
const nothing = 'cd'.repeat(16);

const wrong = ['400 INVALID_SIGNATURE', 'signature: is not one of the key that it needs, over what it is for'] as const;

/** Refusals by what was asked: status and code, and what the message says. */
type Cases<Asked extends readonly unknown[]> = readonly (readonly [...Asked, code: string, message: string])[];

describe.each(engines)('the quorum refuses on %s', (engine) => {
  let scene: QuorumScene;
  let former: Person;
  beforeAll(async () => {
    scene = await openQuorum(engine, 4);
    former = scene.people[3]!;
    await scene.ask('DELETE', `/members/${former.id}`);
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  const assertRefused = async (asked: readonly unknown[], told: [string, string], code: string, message: string) =>
    expect([asked, ...told]).toEqual([asked, code, expect.stringContaining(message)]);

  it('payloads of other actions', async () => {
    const [ann] = scene.people;
    const name = { name: 'Eve', publicKey: toHex(generateKeyPair().publicKey) };
    const payloads: readonly (readonly [of: readonly string[], payload: object])[] = [
      [['ADD_MEMBER'], name],
      [['REMOVE_MEMBER', 'UNBAN_MEMBER'], { memberId: ann!.id }],
      [['CHANGE_THRESHOLD'], { threshold: 3 }],
      [['CHANGE_INNER_QUORUM'], { memberIds: [ann!.id] }],
      [['TRANSITION_TO_QUORUM_MODE'], {}],
      [['BAN_MEMBER'], { memberId: ann!.id, reason: 'Lost the key' }],
      [['UNSEAL_DOCUMENT', 'RESHARE_DOCUMENT'], { documentId: nothing }],
      [['REGISTER_ALIAS'], { aliasName: 'zorro', identity: { name: 'Diego' } }],
      [['DEREGISTER_ALIAS', 'IDENTITY_DISCLOSURE'], { aliasName: 'zorro' }],
      [['POOL_NODE_APPROVE'], { nodeId: 'ef'.repeat(20) }],
      [['VAULT_FILE_DESTROY', 'VAULT_CONTAINER_DESTROY'], { targetId: nothing }],
    ];
    // Before the last stage each action with two payloads, and each payload with two actions or more.
    for (const [at, type] of payloads.flatMap(([of]) => of).entries())
      for (const [place, [of, payload]] of payloads.entries()) {
        const isAsked = (place + at) % payloads.length < inStage(2, 2, payloads.length);
        if (of.includes(type) || !isAsked) continue;
        const told = await refusedBy(scene, async () => await proposing(scene, ann!, type, payload));
        await assertRefused([type, payload], told, '400 VALIDATION_ERROR', 'actionPayload');
      }
  });

  it('proposals about who and what is not there, or not any more', async () => {
    const [ann, bob] = scene.people;
    const { id: gone } = await sealed(scene, { creatorId: ann!.memberId });
    await scene.ask('DELETE', `/documents/${gone}`, undefined, ann!.token);
    const odd = [
      '400 VALIDATION_ERROR',
      'actionPayload: must have well-formed Unicode and finite numbers only',
    ] as const;
    const noDocument = ['404 DOCUMENT_NOT_FOUND', 'There is no such document.'] as const;
    const noFormer = ['404 MEMBER_NOT_FOUND', `The quorum has no member ${former.id}.`] as const;
    const cases: Cases<[string, object]> = [
      ['REMOVE_MEMBER', { memberId: former.id }, ...noFormer],
      ['REMOVE_MEMBER', { memberId: ann!.memberId }, '404 MEMBER_NOT_FOUND', `no member ${ann!.memberId}`],
      ['CHANGE_INNER_QUORUM', { memberIds: [ann!.id, former.id] }, ...noFormer],
      [
        'CHANGE_INNER_QUORUM',
        { memberIds: [ann!.id, bob!.id, ann!.id] },
        '400 VALIDATION_ERROR',
        'actionPayload.memberIds: names a member twice',
      ],
      ['BAN_MEMBER', { memberId: nobody, reason: 'Odd' }, '404 MEMBER_NOT_FOUND', `no member ${nobody}`],
      ['UNBAN_MEMBER', { memberId: former.id }, '404 QUORUM_MEMBER_NOT_BANNED', `not banned the member ${former.id}`],
      ['ADD_MEMBER', { name: 'Ann', publicKey: toHex(ann!.keys.publicKey) }, '409 QUORUM_MEMBER_EXISTS', ann!.id],
      ['UNSEAL_DOCUMENT', { documentId: gone }, ...noDocument],
      ['RESHARE_DOCUMENT', { documentId: gone }, ...noDocument],
      ['REGISTER_ALIAS', { aliasName: 'zorro', documentId: gone }, ...noDocument],
      ['DEREGISTER_ALIAS', { aliasName: 'zorro' }, '404 ALIAS_NOT_FOUND', 'There is no alias zorro.'],
      ['IDENTITY_DISCLOSURE', { aliasName: 'zorro' }, '404 ALIAS_NOT_FOUND', 'There is no alias zorro.'],
      ['POOL_NODE_APPROVE', { nodeId: 'ef'.repeat(20) }, '404 NODE_NOT_PENDING', 'ef'.repeat(20)],
      ['CHANGE_THRESHOLD', { threshold: 0 }, '400 INVALID_THRESHOLD', 'must be from 2 to the number of members, 3'],
      ['CHANGE_THRESHOLD', { threshold: 1 }, '400 INVALID_THRESHOLD', 'must be from 2 to the number of members, 3'],
      ['CHANGE_THRESHOLD', { threshold: 4 }, '400 INVALID_THRESHOLD', 'must be from 2 to the number of members, 3'],
      ['REGISTER_ALIAS', { aliasName: 'zorro', identity: { name: '\ud800' } }, ...odd],
      ['CUSTOM', { names: [{ '\ud800': 1 }] }, ...odd],
    ];
    for (const [at, [type, payload, code, message]] of cases.entries()) {
      const told = await refusedBy(scene, async () => await proposing(scene, ann!, type, payload));
      await assertRefused([at, type], told, code, message);
    }
    // What would be remembered for a repetition is not hashed before it is checked.
    for (const name of ['"\\ud800"', '[1e400]', '{"a":-1e400}']) {
      const expiresAt = new Date(scene.house.clock.now() + 1000).toISOString();
      const rawBody = `{"description":"Odd","actionType":"CUSTOM","actionPayload":{"name":${name}},"expiresAt":"${expiresAt}"}`;
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'odd' };
      const ask = async () =>
        await scene.house.api('POST', '/api/quorum/proposals', { token: ann!.token, rawBody, headers });
      await assertRefused([name], await refusedBy(scene, ask), ...odd);
    }
  });

  it('proposals that are too long or over before they begin', async () => {
    const [ann] = scene.people;
    const future = 'expiresAt: must be in the future, and at most 365 days from now';
    const cases: Cases<[object]> = [
      [{ description: 'x'.repeat(4097) }, '400 VALIDATION_ERROR', 'description: must be at most 4096 characters'],
      [{ description: undefined }, '400 VALIDATION_ERROR', 'description: '],
      [{ expiresAt: new Date(scene.house.clock.now()).toISOString() }, '400 VALIDATION_ERROR', future],
      [{ expiresAt: '1970-01-01T00:00:00.000Z' }, '400 VALIDATION_ERROR', future],
      [{ expiresAt: 'soon' }, '400 VALIDATION_ERROR', 'expiresAt: '],
      [{ actionType: undefined }, '400 VALIDATION_ERROR', 'actionType: '],
      [{ actionPayload: undefined }, '400 VALIDATION_ERROR', 'actionPayload: '],
    ];
    for (const [more, code, message] of cases) {
      const told = await refusedBy(scene, async () => await proposing(scene, ann!, 'CUSTOM', {}, more));
      await assertRefused([more], told, code, message);
    }
  });

  it('votes and proposals of strangers and of former members', async () => {
    const [ann, bob] = scene.people;
    const stranger = await scene.house.register();
    const proposal = await proposed(scene, ann!, 'CUSTOM', { open: true });
    const done = await decided(scene, 'CUSTOM', {}, [ann!, bob!]);
    const cancel = async ({ token }: { token: string }) =>
      await scene.call('POST', `/proposals/${proposal.id}/cancel`, {}, token);
    const signature = (person: Person) => ({ signature: signedVote(scene, proposal, person, 'approve') });
    const vote = async (by: { token: string }, more = {}) => await voting(scene, by, proposal.id, 'approve', more);
    const unknown = ['404 PROPOSAL_NOT_FOUND', 'There is no such proposal.'] as const;
    const outside = ['403 FORBIDDEN', 'This is for active members of the quorum.'] as const;
    const asked: Cases<[() => ReturnType<typeof voting>]> = [
      [async () => await vote(stranger), ...unknown],
      // Nobody votes for a member with that member's signature but the member.
      [async () => await vote(stranger, signature(bob!)), ...unknown],
      [async () => await vote(former), ...unknown],
      [async () => await vote(former, signature(former)), ...unknown],
      [async () => await vote(scene.administrator, signature(former)), ...outside],
      [async () => await vote(ann!, signature(former)), ...wrong],
      [async () => await cancel(stranger), ...unknown],
      [async () => await cancel(former), ...unknown],
      [async () => await proposing(scene, stranger, 'CUSTOM', {}), ...outside],
      [async () => await proposing(scene, former, 'CUSTOM', {}), ...outside],
      [async () => await voting(scene, ann!, nothing), ...unknown],
      [async () => await voting(scene, ann!, done.id), '409 PROPOSAL_DECIDED', 'The proposal is executed.'],
    ];
    for (const [at, [ask, code, message]] of asked.entries())
      await assertRefused([at], await refusedBy(scene, ask), code, message);
  });

  it('members that make no sense, and links of strangers', async () => {
    const [ann] = scene.people;
    const stranger = await scene.house.register();
    const invalid = '400 VALIDATION_ERROR';
    const cases: Cases<[object]> = [
      [{}, invalid, 'name: '],
      [{ name: '' }, invalid, 'name: '],
      [{ name: 'x'.repeat(201) }, invalid, 'name: must be at most 200 characters'],
      [{ name: 'bell \u0007' }, invalid, 'name: '],
      [{ name: 'Eve', email: 'nowhere' }, invalid, 'email: '],
      [{ name: 'Eve', role: 'x'.repeat(101) }, invalid, 'role: must be at most 100 characters'],
      [{ name: 'Eve', publicKey: '02' }, invalid, 'publicKey: must be 66 hex digits'],
      [
        { name: 'Ann', publicKey: toHex(ann!.keys.publicKey) },
        '409 QUORUM_MEMBER_EXISTS',
        'The key is that of the member',
      ],
      [{ name: 'Ann', accountId: ann!.memberId }, '409 QUORUM_MEMBER_EXISTS', 'The account is linked to the member'],
      [{ name: 'Eve', accountId: nobody }, invalid, 'accountId: is no active account of this node'],
      [{ name: 'Eve', accountId: 'eve' }, invalid, 'accountId: must be 24 hex digits'],
    ];
    for (const [body, code, message] of cases) {
      const told = await refusedBy(scene, async () => await scene.call('POST', '/members', body));
      await assertRefused([body], told, code, message);
    }
    const signed = ({ id: memberId, keys }: Person) =>
      toHex(
        sign(
          keys.privateKey,
          linkStatement({ nodeId: scene.house.ctx.keys.nodeId, memberId, accountId: stranger.memberId }),
        ),
      );
    const links: Cases<[string, string]> = [
      [former.id, signed(former), '404 MEMBER_NOT_FOUND', former.id],
      [nobody, signed(former), '404 MEMBER_NOT_FOUND', nobody],
      [ann!.id, signed(former), ...wrong],
      [ann!.id, 'ab', invalid, 'signature: must be 128 hex digits'],
    ];
    for (const [id, signature, code, message] of links) {
      const link = async () => await scene.call('POST', `/members/${id}/link`, { signature }, stranger.token);
      await assertRefused([id], await refusedBy(scene, link), code, message);
    }
  });

  it('new shares for numbers and holders that make no sense', async () => {
    const [ann, bob, cyd] = scene.people;
    const document = await sealed(scene, { holders: [ann!, bob!, cyd!] });
    const required = (count: number) =>
      ['400 INVALID_THRESHOLD', `${count} shares would be required of 3 members. It must be at least 2`] as const;
    const cases: Cases<[object]> = [
      [{ sharesRequired: 0 }, ...required(0)],
      [{ sharesRequired: 1 }, ...required(1)],
      [{ sharesRequired: 4 }, ...required(4)],
      [{ memberIds: [] }, '400 INVALID_MEMBER_COUNT', 'A document needs 2 to 255 members, not 0.'],
      [{ memberIds: [ann!.id] }, '400 INVALID_MEMBER_COUNT', 'A document needs 2 to 255 members, not 1.'],
      [{ memberIds: [ann!.id, ann!.id] }, '400 VALIDATION_ERROR', 'memberIds.1: '],
      [{ memberIds: [ann!.id, former.id] }, '400 VALIDATION_ERROR', 'memberIds.1: is no active member of the quorum'],
      [{ memberIds: [nobody, ann!.id] }, '400 VALIDATION_ERROR', 'memberIds.0: is no active member of the quorum'],
      [{ reason: '' }, '400 VALIDATION_ERROR', 'reason: must not be empty'],
      [{ reason: 'x'.repeat(1001) }, '400 VALIDATION_ERROR', 'reason: must be at most 1000 characters'],
    ];
    for (const [body, code, message] of cases) {
      const given = { ephemeralPublicKey: toHex(generateKeyPair().publicKey), reason: 'Odd', ...body };
      const path = `/documents/${document.id}/reshare`;
      const told = await refusedBy(scene, async () => await scene.call('POST', path, given, ann!.token));
      await assertRefused([body], told, code, message);
    }
  });
});
