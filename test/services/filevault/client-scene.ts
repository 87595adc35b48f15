import { cipherFor, type Cipher } from '../../../src/client/filevault/cipher.ts';
import { download } from '../../../src/client/bodies.ts';
import { readRange, type OpenedFile } from '../../../src/client/filevault/opened-file.ts';
import { sendWithin } from '../../../src/client/local-transport.ts';
import { perform, type Caller } from '../../../src/client/perform.ts';
import { keyPairFrom } from '../../../src/client/member-secret.ts';
import { filevault } from '../../../src/contract/filevault.ts';
import { Problem } from '../../../src/base/problem.ts';
import type { EngineName } from '../../../src/platform/store/database.ts';
import type { HouseOptions } from '../../support/house.ts';
import type { HouseMember } from '../../support/prepared-member.ts';
import { openScene, type Scene } from './scene.ts';

/** Reads all of a file, as a client does. */
export async function* readFile(caller: Caller, file: OpenedFile): AsyncGenerator<Uint8Array> {
  async function* sealed(): AsyncGenerator<Uint8Array> {
    const { body } = await download(caller, filevault.downloadSealed, {
      id: file.named.file_id,
      versionId: file.versionId,
    });
    yield* body;
  }
  yield* readRange(file, sealed, { start: 0, end: file.manifest.size });
}

/** Somebody with a client of their own, which encrypts and decrypts. */
export interface Person {
  readonly member: HouseMember;
  readonly caller: Caller;
  readonly cipher: Cipher;
  /** the id of a new file, or of a file with a new version */
  store(bytes: Uint8Array, options?: StoreOptions): Promise<string>;
  /** the session of an upload that has all its chunks */
  begun(bytes: Uint8Array, options?: StoreOptions): Promise<string>;
  /** @returns what came before an error, if there was one */
  read(id: string, versionId?: string): Promise<Buffer>;
}

export interface StoreOptions {
  readonly name?: string;
  readonly replaces?: string;
  readonly folder?: string;
}

export interface ClientScene extends AsyncDisposable {
  readonly scene: Scene;
  readonly container: { readonly id: string; readonly rootFolderId: string; readonly ownerId: string };
  readonly owner: Person;
  /** members of whom a new key was encrypted to, as the owner's client was told, beside the owner */
  readonly told: string[][];
  person(member: HouseMember): Promise<Person>;
  /** a new member, to whom the owner's client has granted something on the root folder, with the keys */
  guest(entry?: object): Promise<Person>;
  acl(entries: readonly object[], folder?: string): Promise<{ keyOutdated?: boolean }>;
}

/** An owner with an empty client-encrypted container. */
export async function openClientScene(engine: EngineName, house: HouseOptions = {}): Promise<ClientScene> {
  const scene = await openScene(engine, house);
  const container = await scene.get('POST', '/vaults', { name: 'Sealed', clientEncrypted: true });
  const told: string[][] = [];
  let files = 0;

  async function person(member: HouseMember): Promise<Person> {
    const caller: Caller = {
      transport: { send: sendWithin((request) => scene.house.fetch(request)), async [Symbol.asyncDispose]() {} },
      place: 'the house',
      userAgent: 'test',
      tokenFor: async () => member.token,
    };
    const onNewKey = (_: number, holders: readonly { memberId: string }[]): void =>
      void told.push(holders.map(({ memberId }) => memberId));
    const cipher = cipherFor({ caller, container, own: await keyPairFrom(member.mnemonic), onNewKey });
    const begun: Person['begun'] = async (bytes, { name, replaces, folder } = {}) => {
      files += 1;
      const input = {
        fileName: name ?? `sealed-${files}.bin`,
        mimeType: 'text/plain',
        totalSizeBytes: bytes.length,
        targetFolderId: folder ?? container.rootFolderId,
        vaultContainerId: container.id,
        ...(replaces !== undefined && { targetFileId: replaces }),
      };
      const { sessionId, chunkSize, totalChunks } = await cipher.beginning(
        async () => await perform(caller, filevault.beginUpload, input),
      );
      const upload = await cipher.upload(sessionId);
      for (let index = 0; index < totalChunks; index += 1) {
        const part = bytes.subarray(index * chunkSize, (index + 1) * chunkSize);
        await upload.send(index, part.length, () => piecesOf(part));
      }
      return sessionId;
    };
    return {
      member,
      caller,
      cipher,
      begun,
      store: async (bytes, options) => (await (await cipher.upload(await begun(bytes, options))).finish()).id,
      async read(id, versionId) {
        const pieces: Uint8Array[] = [];
        for await (const piece of readFile(caller, await cipher.open(id, versionId))) pieces.push(piece);
        return Buffer.concat(pieces);
      },
    };
  }

  const owner = await person(scene.owner);
  const acl: ClientScene['acl'] = async (entries, folder = container.rootFolderId) =>
    await scene.get('PUT', `/acl/folder/${folder}`, { entries });
  return {
    scene,
    container,
    owner,
    told,
    person,
    acl,
    async guest(entry = { level: 'editor' }) {
      const member = await scene.house.register();
      await scene.grant('folder', container.rootFolderId, { principalId: member.memberId, ...entry });
      await owner.cipher.give(member.memberId);
      return await person(member);
    },
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

/** In pieces that end nowhere in particular. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001);
}

/** The code of the problem with which something fails. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'success';
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
}
