import { randomBytes } from 'node:crypto';
import { accounts } from '../contract/accounts.ts';
import { fromHex, toHex } from '../crypto/bytes.ts';
import { CryptoError } from '../crypto/crypto-error.ts';
import { nodeIdOf } from '../crypto/public-key.ts';
import { serverProofStatement } from '../crypto/sign-in-statements.ts';
import { verify } from '../crypto/signature.ts';
import { Problem } from '../base/problem.ts';
import { perform, type Caller } from './perform.ts';
import { getServerKey, listServerKeys, putServerKey, type ServerKey } from './server-keys.ts';
import type { Connection } from './connection.ts';

export interface ServerIdentityOptions {
  readonly caller: Caller;
  readonly connection: Pick<Connection, 'kind' | 'server' | 'place'>;
  /** the folder of the sign-ins */
  readonly folder: string;
  /** accepts a key that differs from the known one */
  readonly trust: boolean;
  /** shows a message to the person */
  readonly say: (text: string) => void;
}

/** The identity of a server, for the sign-ins of one command. */
export interface ServerIdentity {
  /**
   * The node's public key, 33 bytes as hex, proven and compared with the known one; undefined for the store on this machine. A secret may
   * be sent to the server only after this check.
   *
   * @throws Problem network SERVER_UNPROVEN, SERVER_KEY_CHANGED, SERVER_KEY_ELSEWHERE
   */
  proven(): Promise<string | undefined>;
  /** the device key that lets the server recognise this machine */
  device(): Promise<string>;
  /** stores both keys, after a sign-in that is stored */
  keep(): Promise<void>;
}

export function serverIdentity(options: ServerIdentityOptions): ServerIdentity {
  const { connection, folder } = options;
  let known: Promise<ServerKey | undefined> | undefined;
  let proving: Promise<string | undefined> | undefined;
  let fresh: string | undefined;
  const kept = () => (known ??= getServerKey(folder, connection.server));
  const proven = () => (proving ??= connection.kind === 'remote' ? prove(options, kept) : Promise.resolve(undefined));
  const device = async () => (await kept())?.device ?? (fresh ??= randomBytes(32).toString('base64url'));
  return {
    proven,
    device,
    async keep() {
      const [before, publicKey] = [await kept(), await proven()];
      if (before !== undefined && before.publicKey === publicKey) return;
      await putServerKey(folder, connection.server, { publicKey, device: await device() });
    },
  };
}

/** Requests a fresh proof, which cannot be a replay, and compares the key. */
async function prove(
  { caller, connection, folder, trust, say }: ServerIdentityOptions,
  kept: () => Promise<ServerKey | undefined>,
): Promise<string> {
  const nonce = randomBytes(32);
  const reply = await perform(caller, accounts.proveServer, { nonce: toHex(nonce) });
  const publicKey = fromHex(reply.serverPublicKey);
  if (!verify(publicKey, serverProofStatement(publicKey, nonce), fromHex(reply.signature)))
    throw new Problem(
      'network',
      'SERVER_UNPROVEN',
      `${connection.place} did not prove that it has its key. Do not sign in to it.`,
    );
  const key = reply.serverPublicKey;
  const before = (await kept())?.publicKey;
  if (before === key) return key;
  if (before !== undefined) {
    if (!trust) throw changed(connection.place, before, key);
    say(`${connection.place} is now ${nodeName(key)}. It was ${nodeName(before)}.`);
    return key;
  }
  const elsewhere = await nameElsewhere(folder, connection.server, key);
  if (elsewhere !== undefined && !trust) throw relayed(connection.place, elsewhere, key);
  say(
    `First sign-in to ${connection.place}, which is ${nodeName(key)}. Compare the id with what conclave status shows on the server.`,
  );
  return key;
}

/** Another name under which the same node is known. */
async function nameElsewhere(folder: string, server: string, key: string): Promise<string | undefined> {
  const all = Object.entries(await listServerKeys(folder));
  return all.find(([name, { publicKey }]) => name !== server && publicKey === key)?.[0];
}

/** The id of the node that has a key; undefined if the key is invalid. @param key 33 bytes as hex */
export function nodeIdOfKey(key: string): string | undefined {
  try {
    return nodeIdOf(fromHex(key));
  } catch (error) {
    if (error instanceof CryptoError) return undefined;
    throw error;
  }
}

function nodeName(key: string): string {
  const id = nodeIdOfKey(key);
  return id === undefined ? 'a node with an invalid key' : `node ${id}`;
}

function changed(place: string, before: string, now: string): Problem {
  const message =
    `${place} is another server than before: it is now ${nodeName(now)}, and was ${nodeName(before)}. Nothing was sent to it. ` +
    'If the server was set up again, or restored without its node secret, sign in with --trust.';
  return new Problem('network', 'SERVER_KEY_CHANGED', message);
}

/** A server that relays requests to another server must show the key of that other server. */
function relayed(place: string, elsewhere: string, key: string): Problem {
  const message =
    `${place} shows the key of ${elsewhere} (${nodeName(key)}). Nothing was sent to it, because a server that relays your sign-in looks like this. ` +
    'If both are addresses of the same server, sign in with --trust.';
  return new Problem('network', 'SERVER_KEY_ELSEWHERE', message);
}
