import * as v from 'valibot';
import { operation } from '../operation.ts';
import { email, hex, line, secretText, username } from '../text.ts';
import { mnemonic, password, signedIn, user } from './user.ts';

/** Operations for registration and sign-in. */
export const signingIn = {
  register: operation({
    id: 'account.register',
    method: 'POST',
    path: '/api/user/register',
    envelope: 'account',
    auth: 'none',
    brings: ['device'],
    summary: 'Register a member',
    description:
      'Without a mnemonic the server generates a recovery phrase of 24 words. It answers the phrase once, as `data.mnemonic`, and does not store it.',
    input: v.object({ username, email, password, mnemonic: v.optional(mnemonic) }),
    reply: v.object({ data: v.object({ ...signedIn.entries, mnemonic: v.optional(v.string()) }) }),
    status: 201,
    message: 'Member registered',
    secretReply: true,
    errors: ['USERNAME_TAKEN', 'EMAIL_TAKEN', 'PASSWORD_WEAK', 'MNEMONIC_INVALID', 'MNEMONIC_IN_USE', 'OVERLOADED'],
    limit: { name: 'registration' },
  }),
  login: operation({
    id: 'account.login',
    method: 'POST',
    path: '/api/user/login',
    envelope: 'account',
    auth: 'none',
    brings: ['device'],
    summary: 'Sign in with a password',
    description:
      'The session has the private key of the member, so it can decrypt what is shared with them. Unknown names and wrong passwords get the same answer.',
    input: v.object({
      username: v.pipe(line(254), v.description('a username or an e-mail address')),
      password,
      code: v.optional(
        v.pipe(secretText(256), v.description('duress code of a canary; any other code changes nothing')),
      ),
    }),
    reply: v.object({ data: signedIn }),
    status: 200,
    message: 'Signed in',
    secretReply: true,
    errors: ['INVALID_CREDENTIALS', 'OVERLOADED'],
    limit: { name: 'signIn', account: ['username'] },
  }),
  proveServer: operation({
    id: 'account.prove-server',
    method: 'POST',
    path: '/api/user/prove-server',
    envelope: 'account',
    auth: 'none',
    summary: 'Get a proof of the node key, for a nonce of the client',
    description:
      'A client stores the key of a server at the first sign-in, and compares it before it sends a password again. The signature (ECDSA on secp256k1, r and s, 64 bytes) is over SHA-256 of: the line `conclave/server-proof/v1` with its line feed, the 33 bytes of `serverPublicKey`, the 32 bytes of the nonce.',
    input: v.object({ nonce: hex(32) }),
    reply: v.object({ serverPublicKey: hex(33), signature: hex(64) }),
    status: 200,
    message: 'This is the key of the node',
    errors: [],
    limit: { name: 'write' },
  }),
  requestDirectLogin: operation({
    id: 'account.request-direct-login',
    method: 'POST',
    path: '/api/user/request-direct-login',
    envelope: 'account',
    auth: 'none',
    summary: 'Ask for a challenge to sign in without a password',
    description:
      'The challenge has 104 bytes: the time of issue, 32 random bytes, and the signature of the node over both. It can be used once.',
    input: v.object({}),
    reply: v.object({ challenge: hex(104), serverPublicKey: v.string() }),
    status: 200,
    message: 'Sign the challenge',
    errors: [],
    limit: { name: 'write' },
  }),
  directChallenge: operation({
    id: 'account.direct-challenge',
    method: 'POST',
    path: '/api/user/direct-challenge',
    envelope: 'account',
    auth: 'none',
    brings: ['device'],
    summary: 'Sign in with a signed challenge',
    description:
      'For members whose setting `directChallenge` is on. The member signs a statement that names the node: the line `conclave/direct-login/v1` with its line feed, the 33 bytes of the key of that node, and the 104 bytes of the challenge. A client first checks that this node signed the challenge, and that the key of the node is the one it knows. A statement that names another node is refused. The signature is ECDSA with secp256k1 over SHA-256 of that, 64 bytes. Such a session has no private key.',
    input: v.object({
      challenge: hex({ max: 1024 }),
      signature: hex({ max: 1024 }),
      username: v.optional(line(254)),
      email: v.optional(email),
    }),
    reply: v.object({ user, token: v.string(), serverPublicKey: v.string() }),
    status: 200,
    message: 'Signed in',
    secretReply: true,
    errors: ['INVALID_CHALLENGE', 'CHALLENGE_EXPIRED', 'CHALLENGE_USED', 'INVALID_CREDENTIALS'],
    limit: { name: 'signIn', account: ['username', 'email'] },
  }),
};
