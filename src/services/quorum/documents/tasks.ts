import type { SharePlace, WrappedShare } from '../../../crypto/formats/quorum/document.ts';
import { task } from '../../../service/ports/task.ts';

export interface SealJob {
  /** 32 bytes, like that of `WrapJob` */
  readonly key: Uint8Array;
  readonly header: string;
  readonly content: Uint8Array;
}

/** Encrypts a document. */
export const sealTask = task<SealJob, Uint8Array>({ name: 'seal-document', memory: 64, atOnce: 2, queued: 64 });

export interface WrapJob {
  readonly key: Uint8Array;
  /** with their public keys, 33 bytes */
  readonly members: readonly { readonly memberId: string; readonly publicKey: Uint8Array }[];
  readonly sharesRequired: number;
  readonly place: Omit<SharePlace, 'memberId'>;
}

/** Splits a key and encrypts a share for each member, which takes some two milliseconds each. */
export const wrapTask = task<WrapJob, WrappedShare[]>({ name: 'wrap-shares', memory: 64, atOnce: 2, queued: 64 });

export interface UnsealJob {
  readonly documentId: string;
  readonly epochNumber: number;
  readonly generation: number;
  readonly sharesRequired: number;
  readonly header: string;
  readonly sealed: Uint8Array;
  readonly credentials: readonly {
    readonly memberId: string;
    readonly mnemonic: string;
    /** undefined if the member is no active holder; the same is derived all the same */
    readonly wrapped: Pick<WrappedShare, 'encryptedShare' | 'salt' | 'commitment'> | undefined;
  }[];
}

export type Unsealed =
  | { readonly content: Uint8Array }
  /** positions of the credentials that open no share */
  | { readonly wrong: readonly number[] }
  /** the shares are right, and the content doesn't open */
  | { readonly damaged: true };

/**
 * Opens a document with recovery phrases. A phrase takes some milliseconds; with 255 of them it is seconds, which neither this thread nor the
 * queue of sign-ins waits for. Members take turns.
 */
export const unsealTask = task<UnsealJob, Unsealed>({ name: 'unseal-document', memory: 64, atOnce: 2, queued: 64 });
