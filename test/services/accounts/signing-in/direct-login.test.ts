import { describe, expect, it } from 'vitest';
import { accounts } from '../../../../src/contract/accounts.ts';
import { directChallenge } from '../../../../src/services/accounts/signing-in/direct-login.ts';
import { concat, fromHex, toHex, utf8 } from '../../../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../../../src/crypto/key-pair.ts';
import { sign, verify } from '../../../../src/crypto/signature.ts';
import { allowDirectLogin, directAnswer, identityOf, sessionKey, signChallenge } from '../../../support/member-key.ts';
import { openHouse, type House } from '../../../support/house.ts';
import type { HouseMember } from '../../../support/prepared-member.ts';
import { engines } from '../../../support/stores.ts';

async function challengeOf(house: House): Promise<string> {
  return (await house.perform(accounts.requestDirectLogin, {})).body.challenge;
}

const keyOf = (house: House) => toHex(house.ctx.keys.identity.publicKey);

async function answerFor(house: House, member: HouseMember, challenge: string) {
  const signature = await signChallenge(member.mnemonic, challenge, keyOf(house));
  return { challenge, signature, username: member.username };
}

/** A member who lets themselves in by key. */
async function register(house: House): Promise<HouseMember> {
  const member = await house.register();
  await allowDirectLogin(house, member);
  return member;
}

/** A challenge of a node's key with a timestamp of one's own. */
function forge(privateKey: Uint8Array, timestamp: bigint): string {
  const head = new Uint8Array(40).fill(7);
  new DataView(head.buffer).setBigUint64(0, timestamp);
  return toHex(concat(head, sign(privateKey, head)));
}

describe.each(engines)('sign-in with a signed challenge on %s', (engine) => {
  it('issues challenges of the documented layout', async () => {
    await using house = await openHouse(engine);
    const { status, body } = await house.perform(accounts.requestDirectLogin, {});
    expect(status).toBe(200);
    const bytes = fromHex(body.challenge);
    expect(bytes).toHaveLength(104);
    expect(Number(new DataView(bytes.buffer).getBigUint64(0))).toBe(house.clock.now());
    expect(body.serverPublicKey).toBe(toHex(house.ctx.keys.identity.publicKey));
    expect(verify(fromHex(body.serverPublicKey), bytes.subarray(0, 40), bytes.subarray(40))).toBe(true);
    expect(await challengeOf(house)).not.toBe(body.challenge);
  });

  it('signs in by username or e-mail address, into a session without the private key', async () => {
    await using house = await openHouse(engine);
    const alice = await register(house);
    for (const name of [
      { username: alice.username.toUpperCase() },
      { email: alice.email },
      { username: alice.email },
      { username: alice.username, email: alice.email },
    ]) {
      const challenge = await challengeOf(house);
      const signature = await signChallenge(alice.mnemonic, challenge, keyOf(house));
      const answer = await house.perform(accounts.directChallenge, { challenge, signature, ...name });
      expect(answer).toMatchObject({
        status: 200,
        body: { user: { id: alice.memberId }, serverPublicKey: toHex(house.ctx.keys.identity.publicKey) },
      });
      expect((await house.api('GET', '/api/user/verify', { token: answer.body.token })).status).toBe(200);
      await expect(sessionKey(house, answer.body.token)).rejects.toMatchObject({
        kind: 'forbidden',
        code: 'KEY_LOCKED',
      });
    }
  });

  it('takes a challenge once, of 50 submissions at the same time exactly one', async () => {
    await using house = await openHouse(engine);
    const alice = await register(house);
    const input = await answerFor(house, alice, await challengeOf(house));
    const answers = await Promise.all(Array.from({ length: 50 }, () => house.perform(accounts.directChallenge, input)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 401 && answer.body.error === 'CHALLENGE_USED')).toHaveLength(
      49,
    );
    expect(await house.ctx.db.selectFrom('sessions').selectAll().execute()).toHaveLength(2);
    expect(await house.perform(accounts.directChallenge, input)).toMatchObject({
      status: 401,
      body: { error: 'CHALLENGE_USED' },
    });
  });

  it('takes a challenge until it is five minutes old, and not later', async () => {
    await using house = await openHouse(engine);
    const alice = await register(house);
    const [early, late] = [
      await answerFor(house, alice, await challengeOf(house)),
      await answerFor(house, alice, await challengeOf(house)),
    ];
    house.clock.advance(5 * 60_000);
    expect((await house.perform(accounts.directChallenge, early)).status).toBe(200);
    house.clock.advance(1);
    expect(await house.perform(accounts.directChallenge, late)).toMatchObject({
      status: 401,
      body: { error: 'CHALLENGE_EXPIRED' },
    });
  });

  it('takes a timestamp up to 30 seconds ahead, and none beyond', async () => {
    await using house = await openHouse(engine);
    const alice = await register(house);
    const submit = async (timestamp: bigint) => {
      const challenge = forge(house.ctx.keys.identity.privateKey, timestamp);
      return await house.perform(accounts.directChallenge, await answerFor(house, alice, challenge));
    };
    const now = BigInt(house.clock.now());
    for (const timestamp of [now + 30_001n, 2n ** 64n - 1n, 0n]) {
      expect(await submit(timestamp)).toMatchObject({ status: 401, body: { error: 'CHALLENGE_EXPIRED' } });
    }
    expect((await submit(now + 30_000n)).status).toBe(200);
  });

  it('refuses challenges that this node did not issue', async () => {
    await using house = await openHouse(engine);
    const alice = await register(house);
    const challenge = await challengeOf(house);
    const flipped = challenge.slice(0, 80) + (challenge[80] === '0' ? '1' : '0') + challenge.slice(81);
    const foreign = forge(generateKeyPair().privateKey, BigInt(house.clock.now()));
    for (const bad of [flipped, foreign, challenge.slice(2), `${challenge}00`, '00']) {
      const answer = await house.perform(accounts.directChallenge, await answerFor(house, alice, bad));
      expect(answer).toMatchObject({ status: 401, body: { error: 'INVALID_CHALLENGE' } });
    }
    // None of that has used the challenge up.
    expect((await house.perform(accounts.directChallenge, await answerFor(house, alice, challenge))).status).toBe(200);
  });

  it('answers alike for an unknown member, a wrong signature, contradicting names and a suspended member', async () => {
    await using house = await openHouse(engine);
    const boss = await house.administrator();
    const [alice, bob] = [await register(house), await register(house)];
    const closed = await house.register();
    await house.api('POST', `/api/admin/members/${bob.memberId}/suspend`, { token: boss.token });
    const challenge = await challengeOf(house);
    const good = await signChallenge(alice.mnemonic, challenge, keyOf(house));
    const { privateKey } = await identityOf(alice.mnemonic);
    const half = toHex(sign(privateKey, fromHex(challenge).subarray(0, 40)));
    // What a client signs that doesn't say which node it is for, or says another.
    const unnamed = toHex(sign(privateKey, fromHex(challenge)));
    const elsewhere = await signChallenge(alice.mnemonic, challenge, toHex(generateKeyPair().publicKey));
    const answers = [];
    for (const input of [
      { signature: good, username: 'nobody' },
      { signature: good, email: 'nobody@example.org' },
      { signature: await signChallenge(bob.mnemonic, challenge, keyOf(house)), username: alice.username },
      { signature: half, username: alice.username },
      { signature: unnamed, username: alice.username },
      { signature: elsewhere, username: alice.username },
      { signature: await signChallenge(closed.mnemonic, challenge, keyOf(house)), username: closed.username },
      { signature: good.slice(2), username: alice.username },
      { signature: '00'.repeat(64), username: alice.username },
      { signature: good, username: alice.username, email: bob.email },
      { signature: await signChallenge(bob.mnemonic, challenge, keyOf(house)), username: bob.username },
    ]) {
      const { status, body } = await house.perform(accounts.directChallenge, { challenge, ...input });
      answers.push({ status, body });
    }
    expect(answers[0]).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' } });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(
      (await house.perform(accounts.directChallenge, { challenge, signature: good, username: alice.username })).status,
    ).toBe(200);
  });

  it('is for those who switched it on, at any time, and nobody learns who that is', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const attempt = async () => {
      const { challenge } = (await house.perform(accounts.requestDirectLogin, {})).body;
      return await house.perform(accounts.directChallenge, await answerFor(house, alice, challenge));
    };
    const set = async (on: boolean) => {
      const { body } = await house.perform(accounts.updateSettings, { directChallenge: on }, alice.token);
      expect(body.user.directChallenge).toBe(on);
    };
    expect(await attempt()).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' } });
    await set(true);
    const { token } = (await attempt()).body;
    await set(false);
    expect(await attempt()).toMatchObject({ status: 401, body: { error: 'INVALID_CREDENTIALS' } });
    // It says how one gets in; who is in stays.
    expect((await house.perform(accounts.verify, {}, token)).status).toBe(200);
    const audited = house.log.lines.filter((line) => line['action'] === 'account.set-direct-challenge');
    expect(audited.map((line) => line['on'])).toEqual([true, false]);
  });

  it('is refused to who switched it off after the signature was checked', async () => {
    await using house = await openHouse(engine);
    const alice = await register(house);
    const input = await directAnswer(house, alice);
    const off = async () =>
      void (await house.ctx.db.updateTable('member_settings').set({ direct_challenge: 0 }).execute());
    // Between the check and the transaction.
    const transaction: typeof house.ctx.store.transaction = async (body) => {
      await off();
      return await house.ctx.store.transaction(body);
    };
    const ctx = { ...house.ctx, store: { ...house.ctx.store, transaction } };
    const outcome = directChallenge(ctx, { kind: 'guest', address: 'test', userAgent: 'test' }, input);
    await expect(outcome).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });

  it('has the node prove its key over a nonce, and over nothing that could be something else', async () => {
    await using house = await openHouse(engine);
    const nonce = 'ab'.repeat(32);
    const { status, body } = await house.perform(accounts.proveServer, { nonce });
    expect([status, body.serverPublicKey]).toEqual([200, keyOf(house)]);
    const statement = concat(utf8('conclave/server-proof/v1\n'), fromHex(keyOf(house)), fromHex(nonce));
    expect(verify(fromHex(keyOf(house)), statement, fromHex(body.signature))).toBe(true);
    for (const bad of ['', 'ab'.repeat(31), 'ab'.repeat(40), 'zz'.repeat(32)])
      expect((await house.perform(accounts.proveServer, { nonce: bad })).status).toBe(400);
  });

  it('wants a name, and hex', async () => {
    await using house = await openHouse(engine);
    const alice = await register(house);
    const { challenge, signature } = await answerFor(house, alice, await challengeOf(house));
    expect(await house.perform(accounts.directChallenge, { challenge, signature })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'username' }] },
    });
    const answer = await house.perform(accounts.directChallenge, {
      challenge: 'zz',
      signature,
      username: alice.username,
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'challenge' }] } });
  });
});
