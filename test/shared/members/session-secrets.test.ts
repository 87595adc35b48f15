import { describe, expect, it } from 'vitest';
import { authenticate } from '../../../src/shared/members/authenticate.ts';
import { keepSecret, openSecret } from '../../../src/shared/members/session-secrets.ts';
import { transaction } from '../../../src/service/context.ts';
import { expectCryptoError } from '../../crypto/damage.ts';
import { openHouse } from '../../support/house.ts';
import { engines } from '../../support/stores.ts';

const another = 'ciphertext is damaged, or the key or context is another one';
const caller = { address: 'test', userAgent: '' };

describe.each(engines)('a secret of a session on %s', (engine) => {
  it('opens for its session, token and name, and is of no use anywhere else in the store', async () => {
    await using house = await openHouse(engine);
    const alice = await house.register();
    const actorOf = async (token: string) => await authenticate(house.ctx, token, caller, { local: false });
    const [one, two] = [await actorOf(alice.token), await actorOf(await house.signIn(alice))];
    const secret = new Uint8Array(32).fill(7);
    await transaction(house.ctx, async (tx) => await keepSecret(tx, one, 'vault a', secret));
    const { sealed } = await house.ctx.db.selectFrom('session_secrets').select('sealed').executeTakeFirstOrThrow();
    expect(openSecret(one, 'vault a', sealed)).toEqual(secret);
    expectCryptoError(() => openSecret(one, 'vault b', sealed), another);
    expectCryptoError(() => openSecret(two, 'vault a', sealed), another);
    expectCryptoError(() => openSecret({ ...one, sessionId: two.sessionId }, 'vault a', sealed), another);
    expectCryptoError(() => openSecret({ ...one, jti: two.jti }, 'vault a', sealed), another);
  });
});
