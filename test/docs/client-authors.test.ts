import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueChallenge } from '../../src/services/accounts/signing-in/direct-login.ts';
import { eciesDecrypt, eciesEncrypt } from '../../src/crypto/ecies.ts';
import { fromHex, systemRandom, toHex, utf8 } from '../../src/crypto/bytes.ts';
import { generateKeyPair } from '../../src/crypto/key-pair.ts';
import { canonicalJsonBytes } from '../../src/crypto/canonical-json.ts';
import { quorumOf } from '../services/quorum/scene.ts';
import { opened, sealed, sharesIn } from '../services/quorum/sealing.ts';
import { openHouse, type House } from '../support/house.ts';
import { engines } from '../support/stores.ts';
import { readDocuments, root } from './documents.ts';

interface Sample {
  identityOf(mnemonic: string): Promise<{ privateKey: Uint8Array; publicKey: Uint8Array; memberId: string }>;
  signIn(options: {
    server: string;
    username: string;
    privateKey: Uint8Array;
    nodePublicKey?: string;
    fetch: (request: Request) => Promise<Response>;
  }): Promise<{ token: string; nodePublicKey: string }>;
  eciesDecrypt(privateKey: Uint8Array, message: Uint8Array, context: string): Uint8Array;
  eciesEncrypt(publicKey: Uint8Array, plaintext: Uint8Array, context: string): Uint8Array;
  recoveryShare(
    privateKey: Uint8Array,
    share: { vaultId: string; epoch: number; trusteeId: string; encryptedShare: string; nodePublicKey: string },
  ): { trusteeId: string; encryptedShare: string };
  contribution(
    privateKey: Uint8Array,
    share: object,
    session: object,
    canonical: (value: unknown) => Uint8Array,
  ): { encryptedShare: string; signature: string };
  pages<T>(get: (query: string) => Promise<T>): AsyncIterable<T>;
}

const server = 'http://node.test';
let folder: string;
let sample: Sample;
let house: House;

beforeAll(async () => {
  const document = (await readDocuments()).find(({ path }) => path === 'docs/client-authors.md')!;
  const code = document.blocks.filter(({ language }) => language === 'js').map(({ text }) => text);
  folder = await mkdtemp(join(tmpdir(), 'conclave-docs-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'sample.mjs'), code.join('\n'));
  sample = (await import(pathToFileURL(join(folder, 'sample.mjs')).href)) as Sample;
  house = await openHouse(engines[0]!);
});
afterAll(async () => {
  await house[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function newMember(username: string) {
  const body = { username, email: `${username}@example.org`, password: 'a lighthouse hums at dawn' };
  const answer = await house.api('POST', '/api/user/register', { body });
  expect(answer.status).toBe(201);
  return { username, ...(answer.body.data as { memberId: string; mnemonic: string; token: string }) };
}

describe('the samples for authors of clients', () => {
  it('make the identity from the recovery phrase, and sign in with it', async () => {
    const { username, mnemonic, memberId, token: first } = await newMember('ada');
    await house.api('POST', '/api/user/settings', { token: first, body: { directChallenge: true } });
    const identity = await sample.identityOf(mnemonic);
    expect(identity.memberId).toBe(memberId);
    const { token, nodePublicKey } = await sample.signIn({
      server,
      username,
      privateKey: identity.privateKey,
      fetch: house.fetch,
    });
    const verified = await house.api('GET', '/api/user/verify', { token });
    expect(verified.body.user).toMatchObject({ id: memberId, username });
    const again = { server, username, privateKey: identity.privateKey, nodePublicKey, fetch: house.fetch };
    await expect(sample.signIn(again)).resolves.toMatchObject({ nodePublicKey });
  });

  it('sign nothing for a node that they do not know', async () => {
    const { username, mnemonic } = await newMember('bob');
    const { privateKey } = await sample.identityOf(mnemonic);
    const stranger = generateKeyPair();
    const asked: string[] = [];
    const relayed = async (request: Request) => {
      asked.push(new URL(request.url).pathname);
      const challenge = toHex(issueChallenge(stranger.privateKey, Date.now(), systemRandom));
      return Response.json({ message: 'x', challenge, serverPublicKey: toHex(stranger.publicKey) });
    };
    const known = toHex(generateKeyPair().publicKey);
    const signingIn = sample.signIn({ server, username, privateKey, nodePublicKey: known, fetch: relayed });
    await expect(signingIn).rejects.toThrow('another node');
    expect(asked).toEqual(['/api/user/request-direct-login']);
  });

  it('read the messages that the server writes, and write those that it reads', () => {
    const { privateKey, publicKey } = generateKeyPair();
    const text = utf8('a share');
    for (const mode of ['basic', 'withLength'] as const) {
      const message = eciesEncrypt(publicKey, text, utf8('what it is for'), mode);
      expect(toHex(sample.eciesDecrypt(privateKey, message, 'what it is for'))).toBe(toHex(text));
      expect(() => sample.eciesDecrypt(privateKey, message, 'something else')).toThrow(/authenticate/);
    }
    const written = sample.eciesEncrypt(publicKey, text, 'what it is for');
    expect(eciesDecrypt(privateKey, written, utf8('what it is for'))).toEqual(text);
  });

  it('make the share of a recovery as the server does, with the contexts of the contract', async () => {
    const owner = await newMember('owner');
    const trustee = await newMember('trustee');
    const call = async (method: 'GET' | 'POST', path: string, token: string, body?: object) => {
      const answer = await house.api(method, `/api/passvault${path}`, { token, body });
      expect(answer.body).toMatchObject({ success: true });
      return answer.body.data;
    };
    const { vault } = await call('POST', '/vaults', owner.token, {
      name: 'Home',
      masterPassword: 'open, said the door',
    });
    const trustees = { threshold: 1, trustees: [trustee.memberId] };
    await call('POST', `/vaults/${vault.id}/emergency-access`, owner.token, trustees);
    const { share } = await call('GET', `/vaults/${vault.id}/emergency-share`, trustee.token);
    const { privateKey } = await sample.identityOf(trustee.mnemonic);
    const handedOver = sample.recoveryShare(privateKey, share);
    expect(handedOver.trusteeId).toBe(trustee.memberId);
    expect(fromHex(handedOver.encryptedShare)).toHaveLength(fromHex(share.recoveryShare).length);
    const recovered = await call('POST', `/vaults/${vault.id}/emergency-recover`, trustee.token, {
      shares: [handedOver],
    });
    expect(recovered.vault).toMatchObject({ id: vault.id });
  });

  it('page through a list', async () => {
    const { token } = await newMember('carol');
    for (let left = 2; left > 0; left--) {
      await house.api('POST', '/api/user/login', {
        body: { username: 'carol', password: 'a lighthouse hums at dawn' },
      });
    }
    const counts: number[] = [];
    const get = async (query: string) =>
      (await house.api('GET', `/api/user/sessions${query === '' ? '?limit=2' : `${query}&limit=2`}`, { token })).body;
    for await (const page of sample.pages(get)) counts.push(page.sessions.length);
    expect(counts).toEqual([2, 1]);
  });

  it('contribute a share to a session of the quorum', async () => {
    const scene = await quorumOf(house, await house.administrator(), 2);
    const [ann, bob] = scene.people;
    const document = await sealed(scene);
    const session = await opened(scene, document.id, ann!.token);
    const { share } = await scene.ask('GET', `/documents/${document.id}/my-share`, undefined, bob!.token);
    const body = sample.contribution(bob!.keys.privateKey, share, session, canonicalJsonBytes);
    expect((await scene.call('POST', `${session.path}/contributions`, body, bob!.token)).status).toBe(201);
    const { session: shown } = await scene.ask('GET', session.path, undefined, ann!.token);
    expect(sharesIn(shown, session)).toHaveLength(1);
  });
});
