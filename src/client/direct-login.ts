import { fromHex, toHex } from '../crypto/bytes.ts';
import { directLoginStatement } from '../crypto/sign-in-statements.ts';
import { sign, verify } from '../crypto/signature.ts';
import { accounts } from '../contract/accounts.ts';
import { Problem } from '../base/problem.ts';
import type { Client } from './client.ts';
import { keyPairFrom } from './member-secret.ts';
import { perform } from './perform.ts';

/** Bytes of a challenge that the node signed: time and nonce. The signature follows them. */
const SIGNED_LENGTH = 40;
const CHALLENGE_LENGTH = 104;

/**
 * Signs in without a password. The member's key signs the server's challenge, and never leaves this process. The server has already proven
 * its key, and the challenge must be signed by that key. The signed text names the server, so the signature is useless at any other server.
 *
 * @param name a username or an e-mail address
 * @param secret the recovery phrase, or the private key as 64 hex digits
 * @returns the session's token
 * @throws Problem invalid KEY_INVALID for a secret that is neither, network CHALLENGE_FOREIGN
 */
export async function directLogin(caller: Client, name: string, secret: string): Promise<string> {
  const { privateKey } = await keyPairFrom(secret);
  const proven = await caller.provenKey();
  const { challenge, serverPublicKey } = await perform(caller, accounts.requestDirectLogin, {});
  const statement = statementFor(proven ?? serverPublicKey, challenge);
  if (statement === undefined) throw foreign(caller.place);
  const signature = toHex(sign(privateKey, statement));
  const who = name.includes('@') ? { email: name } : { username: name };
  try {
    return (await perform(caller, accounts.directChallenge, { challenge, signature, ...who })).token;
  } catch (error) {
    throw error instanceof Problem && error.code === 'INVALID_CREDENTIALS' ? explained(error) : error;
  }
}

/** The server does not give the reason for a refusal. Otherwise anybody could find out which accounts allow sign-in by key. */
function explained({ kind, code, message }: Problem): Problem {
  const more = 'Sign-in by key is off for this account. Turn it on with: conclave account settings --direct-challenge';
  return new Problem(kind, code, `${message} ${more}`);
}

/** @returns undefined if the node with this key did not sign the challenge */
function statementFor(nodeKey: string, challenge: string): Uint8Array | undefined {
  const [key, bytes] = [fromHex(nodeKey), fromHex(challenge)];
  if (key.length !== 33 || bytes.length !== CHALLENGE_LENGTH) return undefined;
  const issued = verify(key, bytes.subarray(0, SIGNED_LENGTH), bytes.subarray(SIGNED_LENGTH));
  return issued ? directLoginStatement(key, bytes) : undefined;
}

function foreign(place: string): Problem {
  const message = `${place} sent a challenge that it did not sign. Nothing was signed: the challenge may come from another server.`;
  return new Problem('network', 'CHALLENGE_FOREIGN', message);
}
