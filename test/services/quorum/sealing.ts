import { randomBytes } from 'node:crypto';
import { withBlock } from '../../../src/shared/attachments/blocks.ts';
import { fromHex, toHex, utf8 } from '../../../src/crypto/bytes.ts';
import { sha256Hex } from '../../../src/crypto/hash.ts';
import { generateKeyPair, type KeyPair } from '../../../src/crypto/key-pair.ts';
import { openContribution, wrapContribution } from '../../../src/crypto/formats/quorum/contribution.ts';
import { headerText, sealDocument, unwrapShare, wrapKey } from '../../../src/crypto/formats/quorum/document.ts';
import { contributionStatement } from '../../../src/crypto/formats/quorum/statements.ts';
import { sign } from '../../../src/crypto/signature.ts';
import { record } from '../../../src/services/quorum/audit/record.ts';
import { currentEpoch } from '../../../src/services/quorum/members/epochs.ts';
import { recordId } from '../../../src/platform/store/record-id.ts';
import type { ApiAnswer } from '../../support/house.ts';
import type { Person, QuorumScene } from './scene.ts';

/** Who has a share. */
interface Holder {
  readonly id: string;
  readonly keys: Pick<KeyPair, 'publicKey'>;
}

interface Sealing {
  /** an account */
  readonly creatorId?: string;
  readonly holders?: readonly Holder[];
  readonly sharesRequired?: number;
  readonly kind?: 'document' | 'identity';
  readonly content?: Uint8Array;
}

/** Seals a document, for all members unless others are named. @returns its id and what the node never has */
export async function sealed(scene: QuorumScene, given: Sealing = {}) {
  return await sealedFor(scene, { creatorId: scene.administrator.memberId, holders: scene.people, ...given });
}

export async function sealedFor(
  { house: { ctx } }: Pick<QuorumScene, 'house'>,
  given: Sealing & Required<Pick<Sealing, 'creatorId' | 'holders'>>,
) {
  const { creatorId, holders, sharesRequired = 2, kind = 'document', content = utf8('{"secret":"plans"}') } = given;
  const documentId = recordId(ctx.clock.now(), ctx.random);
  const { number: epochNumber } = await currentEpoch(ctx);
  const memberIds = holders.map(({ id }) => id).toSorted();
  const header = headerText({ documentId, creatorId, memberIds, sharesRequired, epochNumber, generation: 1 });
  const key = new Uint8Array(randomBytes(32));
  const keyHolders = holders.map(({ id, keys }) => ({ memberId: id, publicKey: keys.publicKey }));
  const shares = await wrapKey(key, keyHolders, sharesRequired, { documentId, epochNumber, generation: 1 });
  await withBlock(ctx, sealDocument(key, header, content), async (tx, block) => {
    const row = {
      id: documentId,
      kind,
      creator_id: creatorId,
      header,
      generation: 1,
      epoch: epochNumber,
      shares_required: sharesRequired,
      block_id: block.id,
      size: block.size,
      created_at: ctx.clock.now(),
      reshared_at: null,
    };
    await tx.db.insertInto('quorum_documents').values(row).execute();
    for (const { memberId, encryptedShare, salt, commitment } of shares) {
      const place = { document_id: documentId, generation: 1, member_id: memberId };
      const share = { encrypted_share: encryptedShare, salt, commitment, confirmation: null, confirmed_at: null };
      await tx.db
        .insertInto('quorum_shares')
        .values({ ...place, ...share })
        .execute();
    }
    await record(tx, creatorId, { action: 'DOCUMENT_SEALED', subject: `document/${documentId}` }, [
      ['quorum_documents', documentId],
      ...shares.map(({ memberId }) => ['quorum_shares', documentId, 1, memberId] as const),
    ]);
    await block.keep();
  });
  return { id: documentId, key, content, header };
}

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** Opens a session with a new key. @returns it and the key */
export async function opened(scene: Pick<QuorumScene, 'ask'>, documentId: string, token?: string): Promise<Json> {
  const keys = generateKeyPair();
  const body = { ephemeralPublicKey: toHex(keys.publicKey), reason: 'We need it' };
  const { session } = await scene.ask('POST', `/documents/${documentId}/unseal-sessions`, body, token);
  return { ...session, keys, path: `/documents/${documentId}/unseal-sessions/${session.id}` };
}

/** What a member's client sends to a session. */
export async function contributionOf(scene: Pick<QuorumScene, 'ask'>, session: Json, { keys, token, id }: Person) {
  const { documentId, generation, ephemeralPublicKey } = session;
  const { share } = await scene.ask('GET', `/documents/${documentId}/my-share`, undefined, token);
  const wrapped = {
    encryptedShare: fromHex(share.encryptedShare),
    salt: fromHex(share.salt),
    commitment: share.commitment,
  };
  const bare = unwrapShare(keys.privateKey, wrapped, share);
  const place = { sessionId: session.id, documentId, generation, memberId: id, ephemeralPublicKey };
  const encrypted = wrapContribution(bare, place);
  const statement = contributionStatement({ ...place, shareHash: sha256Hex(encrypted) });
  return { encryptedShare: toHex(encrypted), signature: toHex(sign(keys.privateKey, statement)) };
}

export async function contributed(scene: QuorumScene, session: Json, person: Person): Promise<ApiAnswer> {
  const body = await contributionOf(scene, session, person);
  return await scene.call('POST', `${session.path}/contributions`, body, person.token);
}

/** The shares that a session collected, as its requester opens them. */
export function sharesIn(session: Json, { keys }: { readonly keys: KeyPair }): Uint8Array[] {
  const { id: sessionId, documentId, generation, ephemeralPublicKey } = session;
  return session.contributions.map(({ memberId, encryptedShare }: { memberId: string; encryptedShare: string }) =>
    openContribution(keys.privateKey, fromHex(encryptedShare), {
      sessionId,
      documentId,
      generation,
      memberId,
      ephemeralPublicKey,
    }),
  );
}
